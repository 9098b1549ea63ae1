package store

import "testing"

func TestCheckKey(t *testing.T) {
	for _, key := range []string{"a", "c/0/0", "a/.zarray", "...", "a/.../b", "..a", "a..", ".a/b.", "ä/b", "a\nb", "0.0"} {
		if err := CheckKey(key); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
	for _, key := range []string{"", "/", ".", "..", "/a", "a/", "a//b", "a/./b", "./a", "a/..", "../a", "a/../../b"} {
		if CheckKey(key) == nil {
			t.Errorf("%q was not refused", key)
		}
	}
}
