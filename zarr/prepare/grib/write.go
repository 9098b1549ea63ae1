package grib

import "strconv"

// write adds the group, the coordinates and the variables.
func (x *index) write() error {
	x.setNames()
	x.names, x.coordinates = map[string]bool{}, map[string]string{}
	for _, v := range x.order {
		x.names[v.name] = true // coordinates make way for variables
	}
	err := x.to.Group("", map[string]any{
		"Conventions": "CF-1.7", "GRIB_edition": int64(2), "GRIB_centre": x.centre[0], "GRIB_subCentre": x.centre[1],
	})
	if err != nil {
		return err
	}
	lost := map[*grid]bool{}
	for i, g := range x.gridOrder {
		if err := x.place(g); err != nil {
			if err := x.to.Skip("grid "+strconv.Itoa(i+1), err); err != nil {
				return err
			}
			lost[g] = true
		}
	}
	written := 0
	for _, v := range x.order {
		if lost[v.grid] {
			continue
		}
		err := x.variable(v)
		if err == nil {
			written++
		} else if err = x.to.Skip(v.name, err); err != nil {
			return err
		}
	}
	if written == 0 { // coordinates alone say nothing
		return unsupported("", "every field of the file")
	}
	return nil
}
