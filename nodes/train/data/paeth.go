package data

// filter replaces the pixels of one image by what their prediction misses. It
// goes backwards, because a prediction needs the unfiltered pixels before it.
func filter(img []byte) {
	for i := Pixels - 1; i >= 0; i-- {
		img[i] -= predict(img, i)
	}
}

// unfilter undoes [filter].
func unfilter(img []byte) {
	for i := range Pixels {
		img[i] += predict(img, i)
	}
}

// predict guesses pixel i from those to its left, above, and above to the
// left, as PNG's filter type 4 does (W3C PNG, section 9.4).
func predict(img []byte, i int) byte {
	var left, up, corner int
	if i%Side > 0 {
		left = int(img[i-1])
	}
	if i >= Side {
		up = int(img[i-Side])
	}
	if i%Side > 0 && i >= Side {
		corner = int(img[i-Side-1])
	}
	// The distances of left, up and corner to left+up-corner.
	dl, du, dc := abs(up-corner), abs(left-corner), abs(left+up-2*corner)
	switch {
	case dl <= du && dl <= dc:
		return byte(left)
	case du <= dc:
		return byte(up)
	default:
		return byte(corner)
	}
}

func abs(n int) int { return max(n, -n) }
