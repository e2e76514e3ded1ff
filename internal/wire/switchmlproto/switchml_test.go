package switchmlproto

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/inalab/inalab/internal/golden"
)

// goldens were written down from the protocol: tag = field << 3 | kind (varint 0,
// packed list 2), then the value.
var goldens = []struct {
	name string
	m    proto.Message
	hex  string
}{
	{"UdpSession", &UdpSessionRequest{SessionId: 1, Rank: 2, NumWorkers: 3, Mac: 0x020000000001, Ipv4: 0x0a010001, PacketSize: PacketSize_PACKET_SIZE_1024},
		"08 01 10 02 18 03 20 8180808080 40 28 81808450 38 03"},
	{"its answer", &UdpSessionResponse{SessionId: 1, Mac: 2, Ipv4: 3}, "08 01 10 02 18 03"},
	{"RdmaSession", &RdmaSessionRequest{SessionId: 1, Rank: 2, NumWorkers: 3, Mac: 4, Ipv4: 5, Rkey: 6, PacketSize: PacketSize_PACKET_SIZE_256, MessageSize: 8, Qpns: []uint32{9, 10}, Psns: []uint32{11}},
		"08 01 10 02 18 03 20 04 28 05 30 06 38 01 40 08 4a 02 090a 52 01 0b"},
	{"its answer", &RdmaSessionResponse{SessionId: 1, Mac: 2, Ipv4: 3, Rkey: 4, Qpns: []uint32{5}, Psns: []uint32{6}}, "08 01 10 02 18 03 20 04 2a 01 05 32 01 06"},
	{"Barrier", &BarrierRequest{NumWorkers: 8}, "08 08"},
	{"its answer", &BarrierResponse{}, ""},
	{"Broadcast", &BroadcastRequest{Value: 300, Rank: 2, NumWorkers: 3, Root: 4}, "08 ac02 10 02 18 03 20 04"},
	{"its answer", &BroadcastResponse{Value: 1}, "08 01"},
}

func TestGolden(t *testing.T) {
	for _, g := range goldens {
		want := golden.Hex(t, g.hex)
		got, err := proto.MarshalOptions{Deterministic: true}.Marshal(g.m)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: % x, want % x (%v)", g.name, got, want, err)
		}
		back := g.m.ProtoReflect().New().Interface()
		if err := proto.Unmarshal(want, back); err != nil || !proto.Equal(back, g.m) {
			t.Errorf("%s: % x is read as %v (%v)", g.name, want, back, err)
		}
	}
}

// The paths of calls are the protocol.
func TestMethods(t *testing.T) {
	for got, want := range map[string]string{
		Session_UdpSession_FullMethodName: "/switchml_proto.Session/UdpSession", Session_RdmaSession_FullMethodName: "/switchml_proto.Session/RdmaSession",
		Sync_Barrier_FullMethodName: "/switchml_proto.Sync/Barrier", Sync_Broadcast_FullMethodName: "/switchml_proto.Sync/Broadcast",
	} {
		if got != want {
			t.Errorf("path %s, want %s", got, want)
		}
	}
}
