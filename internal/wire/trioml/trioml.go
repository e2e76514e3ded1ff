// Package trioml is the wire format of Trio-ML packets (Trio, SIGCOMM 2022, §4,
// Fig 7 and 8): a 12-byte header behind UDP, then int32 gradients, all
// big-endian.
//
//	 0        1                 5          6        7         8       10         12
//	| job_id | block_id        | flags    | src_id | src_cnt | gen_id | grad_cnt | gradients ...
//	                            age_op:4 final:1 degraded:1 pad:2      pad:4 cnt:12
//
// The paper leaves the codes of age_op and the meaning of final open; here
// age_op is [AgeNone] or [AgeTimeout], and final marks the last block of a
// tensor.
package trioml

import "encoding/binary"

// Port is the UDP destination port of aggregation packets (§4, "e.g., 12000").
const Port uint16 = 12000

// HeaderLen is the length of the Trio-ML header in bytes (Fig 8).
const HeaderLen = 12

// Limits of the header's fields.
const (
	MaxGrads   = 4095 // grad_cnt has 12 bits
	MaxSources = 255  // src_cnt and rcvd_cnt have 8 bits, though src_id could name 256
)

// Codes of age_op, ours (the paper gives none).
const (
	AgeNone    uint8 = 0
	AgeTimeout uint8 = 1 // the block aged out before all sources had sent
)

// Header is a decoded Trio-ML header.
type Header struct {
	Job      uint8  // aggregation job
	Block    uint32 // block of the tensor
	AgeOp    uint8  // 4 bits: how the block aged
	Final    bool   // last block of the tensor
	Degraded bool   // the result lacks sources
	Source   uint8  // sender of the packet
	SrcCnt   uint8  // workers that contributed
	Gen      uint16 // generation: the iteration, modulo 2^16
	Grads    uint16 // 12 bits: gradients that follow
}

// Put writes h to the first HeaderLen bytes of b.
func (h Header) Put(b []byte) {
	_ = b[HeaderLen-1]
	b[0] = h.Job
	binary.BigEndian.PutUint32(b[1:], h.Block)
	b[5] = h.AgeOp<<4 | bit(h.Final)<<3 | bit(h.Degraded)<<2
	b[6] = h.Source
	b[7] = h.SrcCnt
	binary.BigEndian.PutUint16(b[8:], h.Gen)
	binary.BigEndian.PutUint16(b[10:], h.Grads&0x0fff)
}

// Problem says why a payload is no Trio-ML packet; drops are counted under it.
type Problem string

// The problems [Parse] finds.
const (
	OK        Problem = ""
	Short     Problem = "trioml-short-header"
	NoGrads   Problem = "trioml-no-gradients"
	Truncated Problem = "trioml-truncated"
	Oversized Problem = "trioml-oversized"
)

// Parse reads the header of a UDP payload and checks that exactly the stated
// number of gradients follows.
func Parse(payload []byte) (Header, Problem) { return ParseUnstored(payload, 0) }

// ParseUnstored is Parse for a payload whose last bytes are unstored.
func ParseUnstored(payload []byte, unstored int) (Header, Problem) {
	if len(payload) < HeaderLen {
		return Header{}, Short
	}
	h := Header{
		Job:      payload[0],
		Block:    binary.BigEndian.Uint32(payload[1:]),
		AgeOp:    payload[5] >> 4,
		Final:    payload[5]&(1<<3) != 0,
		Degraded: payload[5]&(1<<2) != 0,
		Source:   payload[6],
		SrcCnt:   payload[7],
		Gen:      binary.BigEndian.Uint16(payload[8:]),
		Grads:    binary.BigEndian.Uint16(payload[10:]) & 0x0fff,
	}
	switch want := HeaderLen + 4*int(h.Grads); {
	case h.Grads == 0:
		return h, NoGrads
	case len(payload)+unstored < want:
		return h, Truncated
	case len(payload)+unstored > want:
		return h, Oversized
	}
	return h, OK
}

// GenBefore reports whether generation a is older than b, across the wrap at
// 2^16 (serial number arithmetic, RFC 1982).
func GenBefore(a, b uint16) bool { return int16(a-b) < 0 }

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
