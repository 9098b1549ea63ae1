package rpc

import (
	"strings"
	"testing"
)

func TestCrashIsNotKnownWithoutIt(t *testing.T) {
	p := newPage(t)
	for _, how := range []Object{nil, {{"memory", true}}, {{"trap", true}}} {
		e := p.fail("crash", append(Object{{"why", "a test"}}, how...)...)
		if e.text("name") != "EngineError" || !strings.Contains(e.text("message"), `unknown request "crash"`) {
			t.Errorf("%v: %v", how, e)
		}
	}
}
