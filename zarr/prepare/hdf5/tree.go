package hdf5

// tree1 visits the children of the leaves of a B-tree of version 1, in order. Keys have keyBytes
// bytes, and visit gets the key before a child.
func (f *file) tree1(address uint64, kind, keyBytes int, visit func(key *cursor, child uint64) error) error {
	return f.node1(address, kind, keyBytes, -1, visit)
}

func (f *file) node1(address uint64, kind, keyBytes, level int, visit func(key *cursor, child uint64) error) error {
	const what = "a B-tree"
	head := int64(8 + 2*f.offsets)
	c, err := f.block(what, "TREE", address, head)
	if err != nil {
		return err
	}
	if got := c.u8(); got != kind {
		return damaged("%s of another kind", what)
	}
	at, used := c.u8(), c.u16()
	if level >= 0 && at != level || at > maxDepth {
		return damaged("%s has a node of another level", what)
	}
	if c, err = f.block(what, "TREE", address, head+int64(used)*int64(keyBytes+f.offsets)); err != nil {
		return err
	}
	c.skip(int(head) - 4)
	for range used {
		key := f.cursor(what, c.bytes(keyBytes))
		child := c.address()
		if c.err != nil {
			return c.err
		}
		if at == 0 {
			err = visit(key, child)
		} else {
			err = f.node1(child, kind, keyBytes, at-1, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tree2 visits the records of a B-tree of version 2, in order.
func (f *file) tree2(address uint64, kind int, visit func(record *cursor) error) error {
	const what = "a B-tree"
	c, err := f.checked(what, "BTHD", address, int64(4+1+1+4+2+2+1+1+f.offsets+2+f.lengths+4))
	if err != nil {
		return err
	}
	c.version(0, 0)
	t := &tree2{f: f, kind: c.u8(), visit: visit}
	t.nodeBytes, t.recordBytes = c.u32(), c.u16()
	depth := c.u16()
	c.skip(2)
	root, records := c.address(), c.u16()
	switch {
	case c.err != nil:
		return c.err
	case t.kind != kind:
		return damaged("%s of another kind", what)
	case root == undefined || records == 0:
		return nil
	case depth > 32 || t.nodeBytes < 16 || t.nodeBytes > maxBlock || t.recordBytes < 1:
		return damaged("%s has impossible sizes", what)
	}
	t.plan(depth)
	return t.node(root, depth, records)
}

type tree2 struct {
	f                      *file
	kind                   int
	nodeBytes, recordBytes int
	countBytes             int   // of the number of a child's records
	totalBytes             []int // of the number of records below a child, by the level of the child
	visit                  func(record *cursor) error
}

// plan computes the widths of fields, which follow from the largest numbers of records.
func (t *tree2) plan(depth int) {
	const prefix = 10
	most := uint64(max(t.nodeBytes-prefix, 0) / t.recordBytes)
	t.countBytes = bytesFor(most)
	t.totalBytes = []int{0}
	below := most
	for range depth {
		pointer := t.f.offsets + t.countBytes + t.totalBytes[len(t.totalBytes)-1]
		most := uint64(max(t.nodeBytes-prefix-pointer, 0) / (t.recordBytes + pointer))
		if below < 1<<40 {
			below = (most+1)*below + most
		}
		t.totalBytes = append(t.totalBytes, bytesFor(below))
	}
}

func (t *tree2) node(address uint64, level, records int) error {
	const what = "a node of a B-tree"
	n, sign := 6+records*t.recordBytes+4, "BTLF"
	pointer := 0
	if level > 0 {
		pointer = t.f.offsets + t.countBytes + t.totalBytes[level-1]
		n, sign = n+(records+1)*pointer, "BTIN"
	}
	if n > t.nodeBytes {
		return damaged("%s has too many records", what)
	}
	c, err := t.f.checked(what, sign, address, int64(n))
	if err != nil {
		return err
	}
	c.skip(2)
	all := c.bytes(records * t.recordBytes)
	for i := 0; ; i++ {
		if level > 0 {
			child, count := c.address(), int(c.uint(t.countBytes))
			c.skip(t.totalBytes[level-1])
			if c.err != nil {
				return c.err
			}
			if err := t.node(child, level-1, count); err != nil {
				return err
			}
		}
		if i == records {
			return c.err
		}
		if err := t.visit(t.f.cursor("a record of a B-tree", all[i*t.recordBytes:(i+1)*t.recordBytes])); err != nil {
			return err
		}
	}
}
