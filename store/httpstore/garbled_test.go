package httpstore_test

// garbledContentRanges are values of Content-Range that do not say which part of an object came with status 206.
var garbledContentRanges = []string{
	"bytes 9223372036854775808-9223372036854775857/9223372036854775858",
	"bytes 149-100/10000",
	"bytes 100-149/149",
	"items 100-149/10000",
	"bytes=100-149/10000",
	"bytes */10000",
	"bytes 100-149",
	"bytes 1-0/x",
	"x",
}
