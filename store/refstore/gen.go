package refstore

import (
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
)

// value is a whole number or a text.
type value struct {
	text    string
	number  int64
	isText  bool
	decimal bool // the text is a fractional or very large number, kept as written
}

func (v value) String() string { return string(v.append(nil)) }

func (v value) append(dst []byte) []byte {
	if v.isText {
		return append(dst, v.text...)
	}
	return strconv.AppendInt(dst, v.number, 10)
}

// generator is one entry of gen. It generates a reference for each element of the product of its
// dimensions.
type generator struct {
	key, url, offset, length string
	ranges                   bool // it has offset and length
	dimensions               []dimension
	pieces                   []segment // the pieces of the key: see split
	first, count             int64     // the range of its references among those of all generators
}

// dimension holds the values of a name: a list, or start, start+step and so on.
type dimension struct {
	name               string
	list               []json.Value
	start, step, count int64
	// the number of consecutive references with one value: the last dimension varies fastest
	each int64
}

// Expressions adds gen and the expressions of templates. Without it a document may only use
// templates by their names alone, as most do. The linker drops the language from wasm builds that
// do not call Expressions.
func Expressions() *Language {
	return &Language{
		expand: (*document).expand,
		appendName: func(d *document, dst []byte, at uint32) ([]byte, error) {
			g, i := d.generatorAt(at)
			return d.appendKey(dst, g, i, map[string]value{})
		},
		generate: (*document).generate,
		render:   func(d *document, text string) (string, error) { return d.render(text, nil) },
	}
}

// expand parses gen and adds its keys to the table.
func (d *document) expand(gen []byte) error {
	v, err := json.Parse(gen, json.Limits{})
	if err != nil {
		return err
	}
	if v.Kind() != json.Array && !v.IsNull() {
		return invalid("gen is not a list of objects")
	}
	total := int64(d.keys)
	for _, item := range v.Items() {
		g, err := newGenerator(item, d.most)
		if err != nil {
			return err
		}
		g.first = total - int64(d.keys)
		if total += g.count; total > d.most {
			return tooMany(total, d.most)
		}
		d.gens = append(d.gens, g)
	}
	d.grow(total)
	for _, g := range d.gens {
		if err := d.addKeys(g); err != nil {
			return err
		}
	}
	return nil
}

// addKeys adds the keys of one entry of gen to the table.
func (d *document) addKeys(g *generator) (err error) {
	var key []byte
	env := map[string]value{}
	for i := range g.count {
		if key, err = d.appendKey(key[:0], g, i, env); err == nil {
			err = d.add(key, uint32(int64(len(d.refs))+1+g.first+i))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// appendKey appends the key of the i-th reference of an entry of gen. env is scratch space for the
// values of its dimensions.
func (d *document) appendKey(dst []byte, g *generator, i int64, env map[string]value) ([]byte, error) {
	if g.pieces == nil {
		return expression{templates: d.templates, env: g.at(i, env)}.append(dst, g.key)
	}
	before := len(dst)
	for _, p := range g.pieces {
		dst = append(dst, p.text...)
		if p.dimension != nil {
			dst = p.dimension.value(i).append(dst)
		}
		if err := bounded(len(dst) - before); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// segment is a text, and the dimension whose value follows it, if any.
type segment struct {
	text      string
	dimension *dimension
}

// split splits a key that contains only names of dimensions, as most do, into pieces. Millions of
// such keys are generated without the language. It returns nil for other keys.
func (g *generator) split() (all []segment) {
	for text := g.key; ; {
		before, rest, found := strings.Cut(text, "{{")
		if strings.Contains(before, "{%") || strings.Contains(before, "{#") {
			return nil
		}
		if !found {
			return append(all, segment{text: before})
		}
		name, after, closed := strings.Cut(rest, "}}")
		name = strings.Trim(name, blanks)
		k := slices.IndexFunc(g.dimensions, func(dim dimension) bool { return dim.name == name })
		if !closed || k < 0 || !isName(name) {
			return nil
		}
		all = append(all, segment{before, &g.dimensions[k]})
		text = after
	}
}

// newGenerator parses an entry of gen, which may generate up to most references.
func newGenerator(v json.Value, most int64) (*generator, error) {
	g := &generator{count: 1}
	given := 0
	for name, field := range map[string]*string{"key": &g.key, "url": &g.url, "offset": &g.offset, "length": &g.length} {
		m := v.Get(name)
		text, ok := m.Text()
		if n, number := m.Number(); number {
			text, ok = n, true
		}
		switch {
		case ok && (name == "offset" || name == "length"):
			given++
		case !ok && (m.Exists() || name == "key" || name == "url"):
			return nil, invalid("gen: " + name + " is not a string")
		}
		*field = text
	}
	if given == 1 {
		return nil, invalid("gen: offset and length must be given together")
	}
	g.ranges = given == 2
	for _, m := range v.Get("dimensions").Members() {
		dim := dimension{name: m.Name, list: m.Value.Items(), step: 1}
		if m.Value.Kind() == json.Array {
			dim.count = int64(len(dim.list))
			if slices.ContainsFunc(dim.list, unknown) {
				return nil, invalid("gen: a value of a dimension is neither a string nor a number without exponent")
			}
		} else if err := dim.read(m.Value); err != nil {
			return nil, err
		}
		if dim.count > 0 && g.count > most/dim.count {
			return nil, tooMany(most+1, most)
		}
		g.count *= dim.count
		g.dimensions = append(g.dimensions, dim)
	}
	each := int64(1)
	for k := range slices.Backward(g.dimensions) {
		g.dimensions[k].each = each
		each *= max(1, g.dimensions[k].count)
	}
	g.pieces = g.split()
	return g, nil
}

// read parses start, stop and step, with the meaning of Python's range.
func (dim *dimension) read(v json.Value) error {
	var stop int64
	for name, n := range map[string]*int64{"start": &dim.start, "stop": &stop, "step": &dim.step} {
		m := v.Get(name)
		i, ok := m.Int64()
		if ok = ok && i > -1<<53 && i < 1<<53; ok {
			*n = i
		}
		if !ok && (m.Exists() || name == "stop") {
			return invalid("gen: a dimension must be a list, or an object with the integers start, stop and step")
		}
	}
	span, step := stop-dim.start, dim.step
	if step < 0 {
		span, step = -span, -step
	}
	if step == 0 {
		return invalid("gen: a step of 0")
	}
	dim.count = max(0, (span+step-1)/step)
	return nil
}

// at stores the values of the dimensions for the i-th reference in env. If two dimensions have one
// name, the first counts.
func (g *generator) at(i int64, env map[string]value) map[string]value {
	for k := range slices.Backward(g.dimensions) {
		env[g.dimensions[k].name] = g.dimensions[k].value(i)
	}
	return env
}

// value returns the dimension's value for the i-th reference.
func (dim *dimension) value(i int64) value {
	n := i / dim.each % dim.count
	if dim.list == nil {
		return value{number: dim.start + n*dim.step}
	}
	item := dim.list[n]
	text, ok := item.Text()
	if ok {
		return value{text: text, isText: true}
	}
	text, _ = item.Number()
	if number, err := strconv.ParseInt(text, 10, 64); err == nil {
		return value{number: number}
	}
	return value{text: text, isText: true, decimal: true}
}

// unknown reports whether Python formats a value differently from JSON.
func unknown(v json.Value) bool {
	number, ok := v.Number()
	return v.Kind() != json.String && (!ok || strings.Trim(number, "-.0123456789") != "")
}

// generatorAt returns the entry of gen for a reference, and the reference's index within it.
func (d *document) generatorAt(at uint32) (*generator, int64) {
	n := int64(at) - int64(len(d.refs)) - 1
	k, _ := slices.BinarySearchFunc(d.gens, n, func(g *generator, n int64) int {
		if g.first+g.count <= n {
			return -1
		}
		return 1
	})
	return d.gens[k], n - d.gens[k].first
}

// generate generates a reference.
func (d *document) generate(at uint32) (r reference, err error) {
	g, i := d.generatorAt(at)
	env := g.at(i, map[string]value{})
	r.length = -1
	if r.url, err = d.render(g.url, env); err == nil && g.ranges {
		if r.offset, err = d.number(g.offset, env); err == nil {
			r.length, err = d.number(g.length, env)
		}
	}
	return r, err
}

// number renders a non-negative whole number.
func (d *document) number(text string, env map[string]value) (int64, error) {
	text, err := d.render(text, env)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(ascii.TrimSpace(text), 10, 64)
	if err != nil || n < 0 {
		return 0, invalid("gen: an offset or length is negative or not an integer")
	}
	return n, nil
}

func clip(s string) string { return s[:min(len(s), 100)] }

// render replaces the expressions in a text.
func (d *document) render(text string, env map[string]value) (string, error) {
	return expression{templates: d.templates, env: env}.render(text)
}

// expression is the state of an evaluation.
type expression struct {
	templates map[string]string // nil in a template, because templates do not use each other
	env       map[string]value
	text      string // the remaining text
	depth     int
}

func (x expression) render(text string) (string, error) {
	if !strings.Contains(text, "{") {
		_, err := checked(text)
		return text, err
	}
	out, err := x.append(nil, text)
	return string(out), err
}

// append is render, and appends its result to out.
func (x expression) append(out []byte, text string) ([]byte, error) {
	for {
		before, rest, found := strings.Cut(text, "{{")
		if strings.Contains(before, "{%") || strings.Contains(before, "{#") {
			return out, invalid("statements and comments of templates are not supported")
		}
		if out = append(out, before...); !found {
			return out, bounded(len(out))
		}
		if strings.HasPrefix(rest, "-") {
			return out, invalid("{{- in templates is not supported: write {{ - for a sign")
		}
		x.text = rest
		v, err := x.sum()
		if err == nil && !x.take("}}") {
			err = invalid("unsupported syntax")
		}
		if err != nil {
			expression, _, closed := strings.Cut(rest, "}}")
			if !closed || strings.ContainsAny(expression, "/?@'\"") {
				expression = " ... " // the rest of a URL, or a text that is part of one
			}
			return out, &Error{Msg: "the expression {{" + clip(expression) + "}}", Err: err}
		}
		if err = bounded(len(out)); err != nil {
			return out, err
		}
		out = v.append(out)
		text = x.text
	}
}

// blanks may separate the tokens of an expression.
const blanks = " \t\r\n"

// take consumes the next token if it is the given one.
func (x *expression) take(what string) bool {
	x.text = strings.TrimLeft(x.text, blanks)
	if !strings.HasPrefix(x.text, what) {
		return false
	}
	x.text = x.text[len(what):]
	return true
}

// sum evaluates + and -.
func (x *expression) sum() (value, error) {
	a, err := x.join()
	for err == nil {
		op := byte('+')
		if !x.take("+") {
			if !x.take("-") {
				break
			}
			op = '-'
		}
		var b value
		if b, err = x.join(); err == nil {
			a, err = apply(op, a, b)
		}
	}
	return a, err
}

// join evaluates ~, which concatenates two texts.
func (x *expression) join() (value, error) {
	a, err := x.product()
	for err == nil && x.take("~") {
		var b value
		if b, err = x.product(); err == nil {
			a, err = checked(a.String() + b.String())
		}
	}
	return a, err
}

// product evaluates *, // and %.
func (x *expression) product() (value, error) {
	a, err := x.operand()
	for err == nil {
		var op byte
		switch {
		case x.take("**"):
			return a, invalid("the operator ** is not supported")
		case x.take("*"):
			op = '*'
		case x.take("//"):
			op = '/'
		case x.take("/"):
			return a, invalid("the operator / is not supported: // divides whole numbers")
		case x.take("%"):
			op = '%'
		default:
			return a, nil
		}
		var b value
		if b, err = x.operand(); err == nil {
			a, err = apply(op, a, b)
		}
	}
	return a, err
}

// operand evaluates a number, a text, a name, a call of a template, or a parenthesized expression.
func (x *expression) operand() (value, error) {
	if x.depth++; x.depth > 32 {
		return value{}, invalid("parentheses and signs are nested too deeply")
	}
	defer func() { x.depth-- }()
	switch {
	case x.take("("):
		v, err := x.sum()
		if err == nil && !x.take(")") {
			err = invalid("a parenthesis is not closed")
		}
		return v, err
	case x.take("-"):
		v, err := x.operand()
		if err != nil {
			return v, err
		}
		return apply('-', value{}, v)
	case x.text == "":
	case x.text[0] == '\'' || x.text[0] == '"':
		text, rest, closed := strings.Cut(x.text[1:], x.text[:1])
		if !closed || strings.Contains(text, `\`) {
			return value{}, invalid("a string is not closed, or has a backslash")
		}
		x.text = rest
		return checked(text)
	default:
		n := wordLength(x.text)
		if n == 0 {
			break
		}
		word := x.text[:n]
		x.text = x.text[n:]
		if word[0] > '9' {
			return x.name(word)
		}
		number, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return value{}, invalid("a number is not an integer, or too large: " + clip(word))
		}
		return value{number: number}, nil
	}
	return value{}, invalid("expected a number, a string or a name")
}

// name evaluates the name of a dimension or template, or the call of a template.
func (x *expression) name(name string) (value, error) {
	if v, ok := x.env[name]; ok {
		return v, nil
	}
	template, ok := x.templates[name]
	if !ok {
		return value{}, undefined(name)
	}
	if !strings.Contains(template, "{{") {
		return checked(template)
	}
	env := map[string]value{}
	if x.take("(") {
		for !x.take(")") {
			given, rest, ok := strings.Cut(x.text, "=")
			if !ok || len(env) > 100 {
				return value{}, invalid("arguments of templates are written as name=value")
			}
			x.text = rest
			v, err := x.sum()
			if err != nil {
				return v, err
			}
			env[ascii.TrimSpace(given)] = v
			x.take(",")
		}
	}
	text, err := expression{env: env, depth: x.depth}.render(template)
	return value{text: text, isText: true}, err
}

// checked returns a text as a value, with an error if it is too long.
func checked(text string) (value, error) {
	return value{text: text, isText: true}, bounded(len(text))
}

// bounded returns the error for a text that is too long.
func bounded(n int) error {
	if n > maxText {
		return &limits.Error{Limit: "ReferenceText", Max: maxText, What: "an expression of kerchunk references"}
	}
	return nil
}

// apply evaluates an operator like Python: // and % round down.
func apply(op byte, a, b value) (value, error) {
	switch {
	case op == '%' && a.isText:
		return format(a.text, b)
	case op == '+' && a.isText && b.isText && !a.decimal && !b.decimal:
		return checked(a.text + b.text)
	case a.isText || b.isText:
		return value{}, invalid("arithmetic on a string")
	}
	m, n := a.number, b.number
	r, ok := int64(0), true
	switch op {
	case '+':
		r = m + n
		ok = (r > m) == (n > 0) || n == 0
	case '-':
		r = m - n
		ok = (r < m) == (n > 0) || n == 0
	case '*':
		r = m * n
		ok = m == 0 || r/m == n && (m != -1 || n != -n || n == 0)
	default:
		if n == 0 || n == -1 && m == -m {
			return value{}, invalid("a division by 0, or with too large a result")
		}
		r = m / n
		rest := m % n
		if rest != 0 && rest < 0 != (n < 0) {
			r, rest = r-1, rest+n
		}
		if op == '%' {
			r = rest
		}
	}
	if !ok {
		return value{}, invalid("a number is too large")
	}
	return value{number: r}, nil
}

// format is Python's operator % for a text with one directive: %d, %3d, %03d or %s.
func format(text string, v value) (value, error) {
	before, rest, found := strings.Cut(text, "%")
	digits := strings.TrimLeft(rest, "0123456789")
	width := rest[:len(rest)-len(digits)]
	n, _ := strconv.Atoi(width)
	if !found || digits == "" || n > 100 || len(width) > 3 || strings.Contains(digits, "%") ||
		digits[0] != 'd' && digits[0] != 's' || digits[0] == 'd' && v.isText {
		return value{}, invalid("a format is not one %d, %03d or %s")
	}
	s, sign := v.String(), ""
	pad := " "
	if digits[0] == 'd' && strings.HasPrefix(width, "0") {
		pad = "0"
		if strings.HasPrefix(s, "-") {
			s, sign, n = s[1:], "-", n-1
		}
	}
	return checked(before + sign + strings.Repeat(pad, max(0, n-len(s))) + s + digits[1:])
}
