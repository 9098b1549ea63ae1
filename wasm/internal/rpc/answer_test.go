package rpc

import (
	"context"
	"strings"
	"testing"
)

func TestPanicIsAnsweredWithItsStack(t *testing.T) {
	var got Object
	s := NewSession(Config{Post: func(msg Object) { got = msg }})
	s.answer(Object{{"id", 1.0}}, func(context.Context) (any, error) { panic("a test") })
	e := got.object("error")
	if e.text("name") != "EngineError" || !strings.HasSuffix(e.text("message"), "a test") || !strings.Contains(e.object("cause").text("message"), "TestPanicIsAnsweredWithItsStack") {
		t.Errorf("%v", got)
	}
}
