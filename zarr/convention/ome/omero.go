package ome

// Window is the range of values that a channel shows.
type Window struct {
	// Min and Max bound the values that a user may choose.
	Min, Max float64
	// Start is shown black, and End in the full colour.
	Start, End float64
}

// Channel holds a channel's rendering settings (section "omero"). Unstated ones are "" or nil.
type Channel struct {
	// Label is the channel's name.
	Label string
	// Color is six hexadecimal digits as in the document: red, green and blue.
	Color string
	// Active reports whether the channel is shown initially.
	Active *bool
	Window *Window
	// Inverted reports whether bright and dark are exchanged.
	Inverted *bool
	// Family maps values to brightness: "linear", "polynomial", "exponential" or "logarithmic".
	// Coefficient is its parameter.
	Family      string
	Coefficient *float64
}

// RenderingDefaults holds an image's initial rendering settings (section "omero", "rdefs").
// Unstated ones are "" or nil.
type RenderingDefaults struct {
	// Model is "color" or "greyscale".
	Model string
	// DefaultT and DefaultZ are indices along t and z.
	DefaultT, DefaultZ *int64
}

// omeroOf reads "omero" without its invalid parts. The member is transitional, so faults never
// reject the image.
func omeroOf(p member, v Version) (channels []Channel, rdefs *RenderingDefaults) {
	level := Must
	if v < "0.4" {
		level = Warning
	}
	list := p.get("channels")
	if p.Exists() && !list.isList() {
		list.report(level, "`channels` MUST be a list")
	}
	for _, item := range list.items() {
		c := Channel{Label: item.get("label").text(), Active: item.get("active").flag(), Inverted: item.get("inverted").flag(), Family: item.get("family").text()}
		if n, ok := item.get("coefficient").number(); ok {
			c.Coefficient = &n
		}
		if !item.isObject() {
			item.report(level, "a channel MUST be an object")
		} else {
			if color := item.get("color"); isHex6(color.text()) {
				c.Color = color.text()
			} else {
				color.report(level, "`color` MUST be six hexadecimal digits")
			}
			c.Window = windowOf(item.get("window"), level)
		}
		channels = append(channels, c)
	}
	at := p.get("rdefs")
	if !at.isObject() {
		return channels, nil
	}
	rdefs = &RenderingDefaults{Model: at.get("model").text()}
	for _, one := range []struct {
		name string
		to   **int64
	}{{"defaultT", &rdefs.DefaultT}, {"defaultZ", &rdefs.DefaultZ}} {
		index := at.get(one.name)
		if n, ok := index.Int64(); ok && n >= 0 && n < 1<<53 {
			*one.to = &n
		} else if index.Exists() {
			index.report(Warning, "this is not an index")
		}
	}
	if model := at.get("model"); model.Exists() && rdefs.Model != "color" && rdefs.Model != "greyscale" {
		model.report(Warning, "`model` must be color or greyscale")
	}
	return channels, rdefs
}

func isHex6(text string) bool {
	for _, c := range []byte(text) {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return len(text) == 6
}

func windowOf(p member, level ProblemLevel) *Window {
	if !p.isObject() {
		p.report(level, "`window` MUST be an object")
		return nil
	}
	var w Window
	good := true
	for _, side := range []struct {
		name string
		to   *float64
	}{{"min", &w.Min}, {"max", &w.Max}, {"start", &w.Start}, {"end", &w.End}} {
		n, ok := p.get(side.name).number()
		if !ok {
			p.get(side.name).report(level, "`"+side.name+"` MUST be a number")
			good = false
		}
		*side.to = n
	}
	if !good {
		return nil
	}
	return &w
}
