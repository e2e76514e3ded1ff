package lookup

// MaxKeyBits is the most bits of a key: 64 bytes, as the largest transfer over the crossbar
// has (trio §2.3; that it bounds a key is assumed).
const MaxKeyBits = keyWords * 64

const keyWords = 8

// A Key is fields one behind the other, the first one's highest bit first. Its zero value
// has none.
type Key struct {
	words [keyWords]uint64
	bits  int
}

// Add appends the low bits of a value, 1 to 64 of them. A key has room for MaxKeyBits.
func (k *Key) Add(value uint64, width int) {
	value &= ones(width)
	at, room := k.bits/64, 64-k.bits%64
	if width <= room {
		k.words[at] |= value << (room - width)
	} else {
		k.words[at] |= value >> (width - room)
		k.words[at+1] |= value << (64 - (width - room))
	}
	k.bits += width
}

// Bytes returns the length of the key, a last incomplete byte included.
func (k *Key) Bytes() int { return (k.bits + 7) / 8 }

func ones(width int) uint64 { return 1<<width - 1 }

// Hash returns 32 bits of which each depends on every bit of the key and of the seed
// (trio §2.2: "a high-quality hash function"; which one is assumed). Routers with other
// seeds decide independently of each other.
func (k *Key) Hash(seed uint32) uint32 {
	h := uint64(seed)<<32 | uint64(k.bits)
	for _, w := range k.words[:(k.bits+63)/64] {
		h = mix(h ^ w)
	}
	return uint32(h >> 32)
}

// mix is the finaliser of MurmurHash3 (A. Appleby, 2011, 64 bits): every bit depends on all.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
