package ome

// sceneDocument is a scene, as in the document (section "scene").
type sceneDocument struct {
	systems         []CoordinateSystem
	transformations []Transformation
}

// sceneOf reads "scene".
func sceneOf(p member, draft bool) sceneDocument {
	var scene sceneDocument
	if !p.object() {
		return scene
	}
	if systems := p.get("coordinateSystems"); systems.Exists() {
		scene.systems = coordinateSystems(systems, false)
	}
	byName := map[string]CoordinateSystem{}
	for _, system := range scene.systems {
		byName[system.Name] = system
	}
	for _, item := range p.get("coordinateTransformations").list() {
		one := referring(item, draft)
		if one == nil {
			continue
		}
		for _, end := range []struct {
			name string
			*Reference
		}{{"input", one.Input}, {"output", one.Output}} {
			if end.Name == "" {
				item.get(end.name).get("name").must("`name` MUST name a coordinate system")
			} else if _, known := byName[end.Name]; end.Path == "" && !known {
				item.get(end.name).must("there is no coordinate system " + quote(end.Name) + " in this scene")
			}
		}
		checkAxes(item, *one, byName)
		scene.transformations = append(scene.transformations, *one)
	}
	return scene
}
