package jpeg

import "image"

// pixels writes the pixels of an image whose colours may have a lower resolution. Libjpeg
// interpolates them linearly between the centres of their pixels.
func pixels(dst []byte, img *image.YCbCr, raw bool) {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	across, down := 1, 1
	switch img.SubsampleRatio {
	case image.YCbCrSubsampleRatio422:
		across = 2
	case image.YCbCrSubsampleRatio420:
		across, down = 2, 2
	case image.YCbCrSubsampleRatio440:
		down = 2
	case image.YCbCrSubsampleRatio411:
		across = 4
	case image.YCbCrSubsampleRatio410:
		across, down = 4, 2
	}
	u := &upsampler{width: width, across: across, down: down, columns: (width + across - 1) / across, lines: (height + down - 1) / down}
	cb, cr := make([]byte, 4*u.columns), make([]byte, 4*u.columns)
	sums := make([]int, u.columns)
	for y := range height {
		u.line(cb, sums, img.Cb, img.CStride, y)
		u.line(cr, sums, img.Cr, img.CStride, y)
		line, out := img.Y[y*img.YStride:][:width], dst[3*y*width:][:3*width]
		if raw {
			for x, v := range line {
				out[3*x], out[3*x+1], out[3*x+2] = v, cb[x], cr[x]
			}
			continue
		}
		for x, v := range line {
			b, r, v := int(cb[x])-128, int(cr[x])-128, int(v)
			// The factors of JFIF in units of 2^-16.
			out[3*x] = clamp(v + (91881*r+1<<15)>>16)
			out[3*x+1] = clamp(v + (1<<15-22554*b-46802*r)>>16)
			out[3*x+2] = clamp(v + (116130*b+1<<15)>>16)
		}
	}
}

func clamp(v int) byte { return byte(min(max(v, 0), 255)) }

// upsampler makes lines of full width of a component with fewer pixels.
type upsampler struct {
	width, across, down int
	columns, lines      int // of the component
}

// line writes line y. Four parts of it are three of the nearest line and one of the next nearest,
// and the same across.
func (u *upsampler) line(dst []byte, sums []int, pix []byte, stride, y int) {
	near := pix[y/u.down*stride:][:u.columns]
	if u.across == 4 || u.across == 2 && u.columns <= 2 { // repeated
		for x := range u.width {
			dst[x] = near[x/u.across]
		}
		return
	}
	if u.down == 1 && u.across == 1 {
		copy(dst, near)
		return
	}
	// Rounding alternates, so that the mean stays.
	low, high, shift := 1, 2, 2
	if u.down == 2 {
		next := min(max(y/2+y%2*2-1, 0), u.lines-1)
		far := pix[next*stride:][:u.columns]
		for i := range sums {
			sums[i] = 3*int(near[i]) + int(far[i])
		}
		low, high, shift = 8, 7, 4
		if u.across == 1 {
			for i, s := range sums {
				dst[i] = byte((s + 1 + y%2) >> 2)
			}
			return
		}
	} else {
		for i := range sums {
			sums[i] = int(near[i])
		}
	}
	last := len(sums) - 1
	for i, s := range sums {
		before, after := sums[max(i-1, 0)], sums[min(i+1, last)]
		dst[2*i] = byte((3*s + before + low) >> shift)
		dst[2*i+1] = byte((3*s + after + high) >> shift)
	}
}
