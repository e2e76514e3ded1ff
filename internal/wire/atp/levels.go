package atp

import "encoding/binary"

// DeepPort is the UDP destination port of packets whose header has more than two levels (appendix A.2).
// By it they are told from those that come to [Port]; both ports have what they have in both directions.
const DeepPort uint16 = 17001

// MaxLevels bounds the levels of a header (assumed: four tiers of switches, of which the way
// to a server climbs three and descends two).
const MaxLevels = 6

// baseLevels are those of the base header.
const baseLevels = 2

// ExtensionLen is the bytes that a header has for each level above the second.
const ExtensionLen = 8

// Upper is what a header of more than two levels has besides the base header. The zero value is that of a
// base header.
type Upper struct {
	Levels  uint8 // 3 to [MaxLevels]; zero: a base header
	Level   uint8 // that the packet is on its way to, in place of the one bit of EdgeSwitch; Levels: past all of them
	Bitmaps [MaxLevels - baseLevels]uint32
	FanIns  [MaxLevels - baseLevels]uint8
}

// DeepLen returns the bytes of the header of a number of levels: those of the base header up to two.
func DeepLen(levels int) int { return HeaderLen + ExtensionLen*max(0, levels-baseLevels) }

// DeepPayloadLen returns the bytes of a packet of a number of levels.
func DeepPayloadLen(levels int) int { return DeepLen(levels) + 4*Values }

// PortOf returns the UDP port of packets with a number of levels.
func PortOf(levels int) uint16 {
	if levels > baseLevels {
		return DeepPort
	}
	return Port
}

// Len returns the bytes of the header.
func (h *Header) Len() int { return DeepLen(int(h.Upper.Levels)) }

// Levels returns how many there are.
func (h *Header) Levels() int { return max(baseLevels, int(h.Upper.Levels)) }

// Next returns the level that the packet is on its way to. A base header says 1 also past it.
func (h *Header) Next() int {
	switch {
	case h.Upper.Levels > 0:
		return int(h.Upper.Level)
	case h.Flags.Has(EdgeSwitch):
		return 1
	}
	return 0
}

// Climb has the packet be on its way to the level above one.
func (h *Header) Climb(from int) {
	h.Flags |= EdgeSwitch
	if h.Upper.Levels > 0 {
		h.Upper.Level = uint8(from + 1)
	}
}

// Bitmap returns that of a level, below Levels.
func (h *Header) Bitmap(level int) uint32 {
	if level < baseLevels {
		return h.Bitmaps[level]
	}
	return h.Upper.Bitmaps[level-baseLevels]
}

// SetBitmap sets that of a level.
func (h *Header) SetBitmap(level int, bitmap uint32) {
	if level < baseLevels {
		h.Bitmaps[level] = bitmap
	} else {
		h.Upper.Bitmaps[level-baseLevels] = bitmap
	}
}

// FanIn returns that of a level.
func (h *Header) FanIn(level int) int {
	if level < baseLevels {
		return int(h.FanIns[level])
	}
	return int(h.Upper.FanIns[level-baseLevels])
}

// SetFanIn sets that of a level, 1 to [MaxFanIn].
func (h *Header) SetFanIn(level, n int) {
	if level < baseLevels {
		h.FanIns[level] = uint8(n)
	} else {
		h.Upper.FanIns[level-baseLevels] = uint8(n)
	}
}

// put writes the levels above the second, behind the base header.
func (u *Upper) put(b []byte) {
	for k := range int(u.Levels) - baseLevels {
		at := b[ExtensionLen*k:]
		binary.BigEndian.PutUint32(at, u.Bitmaps[k])
		word := uint32(u.FanIns[k]-1) & (MaxFanIn - 1) << 27
		if k == 0 {
			word |= uint32(u.Levels)&0xf<<23 | uint32(u.Level)&0xf<<19
		}
		binary.BigEndian.PutUint32(at[4:], word)
	}
}

// The fields of an extension that say something in the first one alone, and the bits that say nothing.
const (
	countBits = 0x07f80000
	spareBits = 0x0007ffff
)

// read takes the levels above the second from what stands behind the base header. It reports false where
// their number is none that there can be, or b ends before the last of them.
func (u *Upper) read(b []byte) bool {
	*u = Upper{}
	if len(b) < ExtensionLen {
		return false
	}
	first := binary.BigEndian.Uint32(b[4:])
	levels := uint8(first >> 23 & 0xf)
	if levels <= baseLevels || levels > MaxLevels || len(b) < ExtensionLen*int(levels-baseLevels) {
		return false
	}
	u.Levels, u.Level = levels, uint8(first>>19&0xf)
	for k := range int(levels) - baseLevels {
		u.Bitmaps[k] = binary.BigEndian.Uint32(b[ExtensionLen*k:])
		u.FanIns[k] = uint8(binary.BigEndian.Uint32(b[ExtensionLen*k+4:])>>27) + 1
	}
	return true
}

// tidy reports whether the bits that say nothing are 0.
func (u *Upper) tidy(b []byte) bool {
	for k := range int(u.Levels) - baseLevels {
		unused := uint32(spareBits)
		if k > 0 {
			unused |= countBits
		}
		if binary.BigEndian.Uint32(b[ExtensionLen*k+4:])&unused != 0 {
			return false
		}
	}
	return true
}

// The problems that [Header.ReadDeep] finds besides those of [Header.Read].
const (
	BadLevels Problem = "atp-levels-out-of-range" // fewer than 3 or more than MaxLevels, or a header that ends before the last
	BadLevel  Problem = "atp-level-counter"       // beyond the last level, or not what the flag of edge switches says
	Untidy    Problem = "atp-reserved-bits"
)

// ReadDeep takes the header of a UDP payload that came to [DeepPort], whose last bytes are unstored. It checks
// what [Header.Read] does, and that the level counter is one of its levels.
func (h *Header) ReadDeep(payload []byte, unstored int) Problem {
	*h = Header{}
	if len(payload) < HeaderLen {
		return Short
	}
	h.read(payload)
	if !h.Upper.read(payload[HeaderLen:]) {
		return BadLevels
	}
	if problem := h.problem(len(payload) + unstored); problem != OK {
		return problem
	}
	switch u := &h.Upper; {
	case u.Level > u.Levels, h.Flags.Has(EdgeSwitch) != (u.Level > 0):
		return BadLevel
	case !u.tidy(payload[HeaderLen:]):
		return Untidy
	}
	return OK
}

// lacks reports whether some level has no bit.
func (h *Header) lacks() bool {
	for k := range h.Levels() {
		if h.Bitmap(k) == 0 {
			return true
		}
	}
	return false
}
