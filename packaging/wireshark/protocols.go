package wireshark

import (
	"fmt"

	"github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/internal/wire/xaggctl"
)

// protocol is one of the protocols, in the order of its header.
type protocol struct {
	name, label string
	table       string // of Wireshark, in which it is found
	numbers     []int  // ports, or the number of a protocol over IP
	header      int    // bytes
	fields      []field
	whole       string // Lua: bytes of the header, from what was read; empty: header
	count       string // Lua: how many values of 32 bits follow, from what was read; empty: none do
	info        []string
}

// protocols are all that are dissected.
func protocols() []protocol {
	return []protocol{trioML(), switchML(), atpProtocol("ina_atp", "ATP: In-network Aggregation", atp.Port), deepATP(), xAgg(), xAggControl()}
}

func trioML() protocol {
	put := func(set func(h *trioml.Header, v uint64)) func([]byte, uint64) {
		return func(b []byte, v uint64) {
			var h trioml.Header
			set(&h, v)
			h.Put(b)
		}
	}
	return protocol{
		name: "ina_trioml", label: "Trio-ML Aggregation", table: "udp.port", numbers: []int{int(trioml.Port)}, header: trioml.HeaderLen,
		fields: []field{
			{name: "job", label: "Job", width: 8, put: put(func(h *trioml.Header, v uint64) { h.Job = uint8(v) })},
			{name: "block", label: "Block", width: 32, put: put(func(h *trioml.Header, v uint64) { h.Block = uint32(v) })},
			{name: "age_op", label: "Age Operation", width: 4, put: put(func(h *trioml.Header, v uint64) { h.AgeOp = uint8(v) }), words: []word{
				{int(trioml.AgeNone), "none"}, {int(trioml.AgeTimeout), "aged out"}, {int(trioml.AgeTemporary), "source straggles"},
				{int(trioml.AgePermanent), "source is taken for dead"}, {int(trioml.AgeBack), "source is back"},
			}},
			{name: "final", label: "Final", width: 1, kind: flag, put: put(func(h *trioml.Header, v uint64) { h.Final = v != 0 })},
			{name: "degraded", label: "Degraded", width: 1, kind: flag, put: put(func(h *trioml.Header, v uint64) { h.Degraded = v != 0 })},
			{name: "source", label: "Source", width: 8, put: put(func(h *trioml.Header, v uint64) { h.Source = uint8(v) })},
			{name: "source_count", label: "Sources", width: 8, put: put(func(h *trioml.Header, v uint64) { h.SrcCnt = uint8(v) })},
			{name: "gen", label: "Generation", width: 16, put: put(func(h *trioml.Header, v uint64) { h.Gen = uint16(v) })},
			{name: "gradients", label: "Gradients", width: 12, put: put(func(h *trioml.Header, v uint64) { h.Grads = uint16(v) })},
		},
		count: "read.gradients", info: []string{"job", "gen", "block", "source", "source_count"},
	}
}

func switchML() protocol {
	put := func(set func(h *switchml.Header, v uint64)) func([]byte, uint64) {
		return func(b []byte, v uint64) {
			var h switchml.Header
			set(&h, v)
			h.Put(b)
		}
	}
	sizes := []word{}
	for s := range switchml.SizeEnum(4) {
		sizes = append(sizes, word{int(s), decimalText(s.Elements()) + " values"})
	}
	return protocol{
		name: "ina_switchml", label: "SwitchML Aggregation", table: "udp.port", numbers: []int{int(switchml.Port)}, header: switchml.HeaderLen,
		fields: []field{
			{name: "type", label: "Type", width: 4, put: put(func(h *switchml.Header, v uint64) { h.Type = uint8(v) }), words: []word{{int(switchml.TypeConsume), "consume"}}},
			{name: "size", label: "Size", width: 3, put: put(func(h *switchml.Header, v uint64) { h.Size = switchml.SizeEnum(v) }), words: sizes},
			{name: "job", label: "Job", width: 8, put: put(func(h *switchml.Header, v uint64) { h.Job = uint8(v) })},
			{name: "packet", label: "Packet Id", width: 32, put: put(func(h *switchml.Header, v uint64) { h.PacketID = uint32(v) })},
			{name: "set", label: "Set", width: 1, put: put(func(h *switchml.Header, v uint64) { h.Set = uint8(v) })},
			{name: "slot", label: "Slot", width: 14, put: put(func(h *switchml.Header, v uint64) { h.Slot = uint16(v) })},
			{name: "e0", label: "Exponent 0", width: 8, kind: signed, put: put(func(h *switchml.Header, v uint64) { h.E0 = int8(v) })},
			{name: "e1", label: "Exponent 1", width: 8, kind: signed, put: put(func(h *switchml.Header, v uint64) { h.E1 = int8(v) })},
		},
		count: "32 * 2 ^ read.size", info: []string{"job", "slot", "set", "packet"},
	}
}

// atpProtocol is ATP with the base header.
func atpProtocol(name, label string, port uint16) protocol {
	return protocol{
		name: name, label: label, table: "udp.port", numbers: []int{int(port)}, header: atp.HeaderLen,
		fields: atpFields(0), count: decimalText(atp.Values), info: []string{"job", "sequence", "aggregator", "bitmap0", "bitmap1"},
	}
}

// deepATP has more than two levels: of those above the second the header says how many.
func deepATP() protocol {
	p := atpProtocol("ina_atp_deep", "ATP: In-network Aggregation at more levels", atp.DeepPort)
	p.header, p.fields = atp.DeepLen(3), atpFields(3)
	p.fields = append(p.fields,
		field{name: "bitmap2", label: "Bitmap 2", width: 32, kind: hex, put: putATP(3, func(h *atp.Header, v uint64) { h.Upper.Bitmaps[0] = uint32(v) })},
		field{name: "fan_in2", label: "Fan-in 2", width: 5, bias: 1, put: putATP(3, func(h *atp.Header, v uint64) { h.Upper.FanIns[0] = uint8(v) + 1 })},
		field{name: "level", label: "Level", width: 4, put: putATP(3, func(h *atp.Header, v uint64) { h.Upper.Level = uint8(v) })},
	)
	p.fields = append(p.fields, levels())
	p.whole = fmt.Sprintf("%d + %d * (read.levels - 3)", atp.DeepLen(3), atp.ExtensionLen)
	return p
}

// levels is the number of levels. No encoder can write all of its numbers, so its place stands here, and a
// test holds it to the encoder.
func levels() field {
	return field{name: "levels", label: "Levels", width: 4, at: place{offset: atp.HeaderLen + 4, length: 2, mask: 0x0780}}
}

func putATP(levels uint8, set func(h *atp.Header, v uint64)) func([]byte, uint64) {
	return func(b []byte, v uint64) {
		h := atp.Header{FanIns: [2]uint8{1, 1}}
		if levels > 0 {
			h.Upper.Levels = levels
			h.Upper.FanIns[0] = 1
		}
		set(&h, v)
		h.Put(b)
	}
}

func atpFields(levels uint8) []field {
	put := func(set func(h *atp.Header, v uint64)) func([]byte, uint64) { return putATP(levels, set) }
	list := []field{
		{name: "bitmap0", label: "Bitmap 0", width: 32, kind: hex, put: put(func(h *atp.Header, v uint64) { h.Bitmaps[0] = uint32(v) })},
		{name: "bitmap1", label: "Bitmap 1", width: 32, kind: hex, put: put(func(h *atp.Header, v uint64) { h.Bitmaps[1] = uint32(v) })},
		{name: "job", label: "Job", width: 8, put: put(func(h *atp.Header, v uint64) { h.Job = uint8(v) })},
		{name: "sequence", label: "Sequence", width: atp.SequenceBits, put: put(func(h *atp.Header, v uint64) { h.Sequence = uint32(v) })},
		{name: "aggregator", label: "Aggregator", width: 16, put: put(func(h *atp.Header, v uint64) { h.Index = uint16(v) })},
		{name: "fan_in0", label: "Fan-in 0", width: 5, bias: 1, put: put(func(h *atp.Header, v uint64) { h.FanIns[0] = uint8(v) + 1 })},
		{name: "fan_in1", label: "Fan-in 1", width: 5, bias: 1, put: put(func(h *atp.Header, v uint64) { h.FanIns[1] = uint8(v) + 1 })},
	}
	for _, f := range []struct {
		name, label string
		bit         atp.Flags
	}{
		{"resend", "Resend", atp.Resend}, {"collision", "Collision", atp.Collision}, {"ecn", "ECN", atp.ECN},
		{"edge_switch", "Edge Switch", atp.EdgeSwitch}, {"is_ack", "Parameters", atp.IsAck}, {"overflow", "Overflow", atp.Overflow},
	} {
		list = append(list, field{name: f.name, label: f.label, width: 1, kind: flag, put: put(func(h *atp.Header, v uint64) { h.Flags = f.bit * atp.Flags(v) })})
	}
	return list
}

func xAgg() protocol {
	put := func(set func(h *xagg.Header, v uint64)) func([]byte, uint64) {
		return func(b []byte, v uint64) {
			var h xagg.Header
			set(&h, v)
			h.Put(b)
		}
	}
	return protocol{
		name: "ina_xagg", label: "XAgg Gradients", table: "ip.proto", numbers: []int{xagg.Protocol}, header: xagg.HeaderLen,
		fields: []field{
			{name: "host", label: "Host", width: 32, kind: hex, put: put(func(h *xagg.Header, v uint64) { h.Host = uint32(v) })},
			{name: "gradient", label: "Gradient", width: 32, put: put(func(h *xagg.Header, v uint64) { h.Gradient = uint32(v) })},
			{name: "job", label: "Job", width: 16, put: put(func(h *xagg.Header, v uint64) { h.Job = uint16(v) })},
			{name: "iteration", label: "Iteration", width: 16, put: put(func(h *xagg.Header, v uint64) { h.Iteration = uint16(v) })},
			{name: "result", label: "Result", width: 1, kind: flag, put: put(func(h *xagg.Header, v uint64) { h.Flags = xagg.Result * xagg.Flags(v) })},
			{name: "retransmit", label: "Retransmitted", width: 1, kind: flag, put: put(func(h *xagg.Header, v uint64) { h.Flags = xagg.Retransmit * xagg.Flags(v) })},
			{name: "end_of_group", label: "End of Group", width: 1, kind: flag, put: put(func(h *xagg.Header, v uint64) { h.Flags = xagg.EndOfGroup * xagg.Flags(v) })},
		},
		count: "(length - " + decimalText(xagg.HeaderLen) + ") / 4", info: []string{"job", "iteration", "gradient", "host"},
	}
}

func xAggControl() protocol {
	put := func(set func(m *xaggctl.Message, v uint64)) func([]byte, uint64) {
		return func(b []byte, v uint64) {
			m := xaggctl.Message{Kind: xaggctl.Done} // which has no body
			set(&m, v)
			copy(b, m.Append(nil)[:xaggctl.HeaderLen])
		}
	}
	kinds := []word{
		{int(xaggctl.Request), "request"}, {int(xaggctl.Notice), "notice"}, {int(xaggctl.Lost), "lost"}, {int(xaggctl.Done), "done"}, {int(xaggctl.Complete), "complete"},
		{int(xaggctl.Tree), "tree"}, {int(xaggctl.TreeAck), "tree-ack"}, {int(xaggctl.Report), "report"}, {int(xaggctl.Round), "round"},
	}
	return protocol{
		name: "ina_xaggctl", label: "XAgg Control", table: "udp.port", numbers: []int{int(xaggctl.Port)}, header: xaggctl.HeaderLen,
		fields: []field{
			{name: "kind", label: "Kind", width: 8, words: kinds, put: func(b []byte, v uint64) {
				m := xaggctl.Message{Kind: xaggctl.Kind(v), Lost: []uint32{0}}
				copy(b, m.Append(nil)[:xaggctl.HeaderLen])
			}},
			{name: "job", label: "Job", width: 16, put: put(func(m *xaggctl.Message, v uint64) { m.Job = uint16(v) })},
			{name: "iteration", label: "Iteration", width: 16, put: put(func(m *xaggctl.Message, v uint64) { m.Iteration = uint16(v) })},
			{name: "tree", label: "Tree", width: 16, put: put(func(m *xaggctl.Message, v uint64) { m.Tree = uint16(v) })},
			{name: "host", label: "Host", width: 32, kind: hex, put: put(func(m *xaggctl.Message, v uint64) { m.Host = uint32(v) })},
			{name: "number", label: "Number", width: 32, put: put(func(m *xaggctl.Message, v uint64) { m.Number = uint32(v) })},
		},
		info: []string{"kind", "job", "number"},
	}
}
