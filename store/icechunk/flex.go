package icechunk

// flex is a value in a FlexBuffer, the format of a repository's configuration. Only maps and
// strings are read. An invalid value reads as absent.
type flex struct {
	b     []byte
	at    int // the position of its content
	kind  byte
	width int // the size in bytes of the numbers before the content
}

// The value types that are read.
const (
	flexKey    = 4
	flexString = 5
	flexMap    = 9
)

// flexRoot returns the root value of a buffer.
func flexRoot(b []byte) flex {
	if len(b) < 3 {
		return flex{}
	}
	width := int(b[len(b)-1])
	return flexAt(b, len(b)-2-width, width, b[len(b)-2])
}

// flexAt returns the value that an offset refers to. The offset lies at a position and has a width
// in bytes. packed is the value's type.
func flexAt(b []byte, at, width int, packed byte) flex {
	o, ok := flexUint(b, at, width)
	if kind := packed >> 2; ok && o <= uint64(at) && (kind == flexKey || kind == flexString || kind == flexMap) {
		return flex{b, at - int(o), kind, 1 << (packed & 3)}
	}
	return flex{}
}

func flexUint(b []byte, at, width int) (n uint64, ok bool) {
	if width != 1 && width != 2 && width != 4 && width != 8 || at < 0 || at > len(b)-width {
		return 0, false
	}
	for i := range width {
		n |= uint64(b[at+i]) << (8 * i)
	}
	return n, true
}

// text returns the text of a string.
func (v flex) text() (string, bool) {
	n, ok := flexUint(v.b, v.at-v.width, v.width)
	if !ok || v.kind != flexString || n > uint64(len(v.b)-v.at) {
		return "", false
	}
	return string(v.b[v.at : v.at+int(n)]), true
}

// size returns the number of members of a map.
func (v flex) size() int {
	n, ok := flexUint(v.b, v.at-v.width, v.width)
	// The types of the members follow them, one byte each.
	if !ok || v.kind != flexMap || n > uint64(len(v.b)-v.at)/uint64(v.width+1) {
		return 0
	}
	return int(n)
}

// member returns the name and the value of the i-th member of a map.
func (v flex) member(i int) (string, flex) {
	keys, ok := flexUint(v.b, v.at-3*v.width, v.width)
	width, okWidth := flexUint(v.b, v.at-2*v.width, v.width)
	if !ok || !okWidth || keys > uint64(v.at) || width > 8 {
		return "", flex{}
	}
	at := v.at - 3*v.width - int(keys) + i*int(width)
	name := flexAt(v.b, at, int(width), flexKey<<2)
	if name.b == nil {
		return "", flex{}
	}
	to := name.at
	for to < len(v.b) && v.b[to] != 0 {
		to++
	}
	kind := v.b[v.at+v.size()*v.width+i]
	return string(v.b[name.at:to]), flexAt(v.b, v.at+i*v.width, v.width, kind)
}

// get returns the member of a name.
func (v flex) get(name string) flex {
	for i := range v.size() {
		if key, value := v.member(i); key == name {
			return value
		}
	}
	return flex{}
}

// maxContainers limits the containers of virtual chunks in a repository's configuration.
const maxContainers = 10_000

// containers returns the prefixes of the named containers of virtual chunks in a repository's
// configuration.
func containers(config []byte) map[string]string {
	all := map[string]string{}
	list := flexRoot(config).get("virtual_chunk_containers")
	for i := range min(list.size(), maxContainers) {
		_, v := list.member(i)
		name, named := v.get("name").text()
		prefix, ok := v.get("url_prefix").text()
		if named && ok {
			all[name] = prefix
		}
	}
	return all
}
