package chassistest

import (
	"encoding/binary"
	"encoding/json"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/reference"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// Plan lays out a topology by its name.
func Plan(t rapid.TB, topology string, p gen.Params) *plan.Plan {
	t.Helper()
	g, err := gen.ByName(topology, p)
	if err != nil {
		t.Fatal(err)
	}
	out, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TrioML makes the reference program of a PFE from its configuration as JSON.
func TrioML(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
	var cfg trioml.Config
	if err := json.Unmarshal(config, &cfg); err != nil {
		return nil, err
	}
	cfg.Trace = sink
	return reference.New(cfg)
}

// Contribution is the packet of a host to its router: source, src_cnt and grad_cnt
// of the header are filled in.
func Contribution(from *plan.Host, h wire.Header, grads ...int32) sansio.Train {
	h.Source, h.SrcCnt, h.Grads = uint8(from.Index), 1, uint16(len(grads))
	b := make([]byte, wire.HeaderLen, wire.HeaderLen+4*len(grads))
	h.Put(b)
	for _, g := range grads {
		b = binary.BigEndian.AppendUint32(b, uint32(g))
	}
	header := inet.UDPHeader(inet.Flow{
		SrcMAC: inet.MAC(from.MAC), DstMAC: inet.MAC(from.GatewayMAC), Src: from.Addr.Addr(), Dst: from.Gateway, SrcPort: 1, DstPort: wire.Port,
	})
	inet.SetUDPBody(header, len(b))
	return sansio.Train{Header: header, Body: b}
}
