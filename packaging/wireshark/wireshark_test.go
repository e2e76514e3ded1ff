package wireshark

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/pcapfile"
	"github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/internal/wire/xaggctl"
)

// The file that is shipped is what the encoders give.
func TestDissectorIsUpToDate(t *testing.T) {
	golden.Equal(t, "../inalab.lua", Lua())
}

// The fields of a header share no bit, and a field that the encoder spreads is found out.
func TestFieldsArePlaces(t *testing.T) {
	for _, p := range protocols() {
		var used [maxHeader]byte
		for i := range p.fields {
			at, err := p.fields[i].probe()
			if err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			for n := range at.length {
				bits := byte(at.mask >> (8 * (at.length - 1 - n)))
				if used[at.offset+n]&bits != 0 || at.offset+n >= p.header {
					t.Errorf("%s: field %s overlaps another, or is behind the header", p.name, p.fields[i].name)
				}
				used[at.offset+n] |= bits
			}
		}
	}
	spread := field{name: "spread", width: 8, put: func(b []byte, v uint64) { b[0], b[9] = byte(v)&0xf, byte(v)>>4 }}
	narrow := field{name: "narrow", width: 8, put: func(b []byte, v uint64) { b[0] = byte(v) & 0x7f }}
	for _, f := range []field{spread, narrow} {
		if _, err := f.probe(); err == nil {
			t.Errorf("field %s has a place", f.name)
		}
	}
}

// The number of levels is where the encoder puts it.
func TestLevels(t *testing.T) {
	at := levels().at
	for n := uint8(3); n <= atp.MaxLevels; n++ {
		h := atp.Header{FanIns: [2]uint8{1, 1}, Upper: atp.Upper{Levels: n, FanIns: [4]uint8{1, 1, 1, 1}}}
		b := make([]byte, maxHeader)
		h.Put(b)
		if got := uint64(binary.BigEndian.Uint16(b[at.offset:])) & at.mask >> 7; got != uint64(n) {
			t.Errorf("%d levels are read as %d", n, got)
		}
	}
}

var (
	flow = inet.Flow{
		SrcMAC: inet.MAC{2, 0, 0, 0, 0, 1}, DstMAC: inet.MAC{2, 0, 0, 0, 0, 2},
		Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("10.0.0.2"), SrcPort: 4000,
	}
	start = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
)

// udpFrame is a frame with right checksums.
func udpFrame(port uint16, payload []byte) []byte {
	f := flow
	f.DstPort = port
	frame := append(inet.UDPHeader(f), payload...)
	inet.SetUDPBody(frame[:inet.UDPHeaders], len(payload))
	udp := frame[inet.UDPHeaders-inet.UDPLen:]
	inet.UDP(udp).SetChecksum(0)
	inet.UDP(udp).SetChecksum(inet.TransportChecksum(inet.IPv4(frame[inet.EtherLen:]), udp[:inet.UDPLen], payload))
	return frame
}

// packet is a golden packet, and what tshark is to read in it.
type packet struct {
	name  string
	frame []byte
	want  map[string]string
}

// padded is a header with so many values behind it.
func padded(header, values int, put func(b []byte)) []byte {
	b := make([]byte, header+4*values)
	put(b)
	for i := range values {
		binary.BigEndian.PutUint32(b[header+4*i:], uint32(i))
	}
	return b
}

func packets() []packet {
	trio := trioml.Header{Job: 1, Block: 70000, AgeOp: trioml.AgeTimeout, Degraded: true, Source: 3, SrcCnt: 5, Gen: 9, Grads: 16}
	sml := switchml.Header{Type: switchml.TypeConsume, Size: 1, Job: 2, PacketID: 0x01020304, Set: 1, Slot: 511, E0: -3, E1: 7}
	base := atp.Header{Bitmaps: [2]uint32{5, 1}, Job: 3, Sequence: 0x010203, Index: 77, FanIns: [2]uint8{4, 1}, Flags: atp.IsAck | atp.ECN}
	deep := base
	deep.Flags, deep.Upper = atp.EdgeSwitch, atp.Upper{Levels: 4, Level: 2, Bitmaps: [4]uint32{6, 7}, FanIns: [4]uint8{32, 2}}
	xa := xagg.Header{Host: 1 << 4, Gradient: 2048, Job: 5, Iteration: 6, Flags: xagg.EndOfGroup | xagg.Result}
	ctl := xaggctl.Message{Kind: xaggctl.Lost, Job: 5, Iteration: 6, Tree: 2, Host: 2, Number: 8, Lost: []uint32{4}}
	path := xagg.Path{SrcMAC: flow.SrcMAC, DstMAC: flow.DstMAC, Src: flow.Src, Dst: flow.Dst}
	wrong := trio
	wrong.Grads = 17
	return []packet{
		{"trioml", udpFrame(trioml.Port, padded(trioml.HeaderLen, 16, trio.Put)), map[string]string{
			"ina_trioml.job": "1", "ina_trioml.block": "70000", "ina_trioml.age_op": "1", "ina_trioml.final": "0", "ina_trioml.degraded": "1",
			"ina_trioml.source": "3", "ina_trioml.source_count": "5", "ina_trioml.gen": "9", "ina_trioml.gradients": "16", "ina_trioml.values": "16",
		}},
		{"switchml", udpFrame(switchml.Port, padded(switchml.HeaderLen, 64, sml.Put)), map[string]string{
			"ina_switchml.type": "1", "ina_switchml.size": "1", "ina_switchml.job": "2", "ina_switchml.packet": "16909060", "ina_switchml.set": "1",
			"ina_switchml.slot": "511", "ina_switchml.e0": "-3", "ina_switchml.e1": "7", "ina_switchml.values": "64",
		}},
		{"atp", udpFrame(atp.Port, padded(atp.HeaderLen, atp.Values, base.Put)), map[string]string{
			"ina_atp.bitmap0": "0x00000005", "ina_atp.bitmap1": "0x00000001", "ina_atp.job": "3", "ina_atp.sequence": "66051", "ina_atp.aggregator": "77",
			"ina_atp.fan_in0": "3", "ina_atp.is_ack": "1", "ina_atp.ecn": "1", "ina_atp.resend": "0", "ina_atp.values": "62",
		}},
		{"atp with four levels", udpFrame(atp.DeepPort, padded(atp.DeepLen(4), atp.Values, deep.Put)), map[string]string{
			"ina_atp_deep.levels": "4", "ina_atp_deep.level": "2", "ina_atp_deep.bitmap2": "0x00000006", "ina_atp_deep.fan_in2": "31", "ina_atp_deep.values": "62",
		}},
		{"xagg", xagg.Frame(path, xa, make([]int32, xagg.Values)), map[string]string{
			"ina_xagg.host": "0x00000010", "ina_xagg.gradient": "2048", "ina_xagg.job": "5", "ina_xagg.iteration": "6", "ina_xagg.end_of_group": "1",
			"ina_xagg.retransmit": "0", "ina_xagg.result": "1", "ina_xagg.values": "256",
		}},
		{"xaggctl", udpFrame(xaggctl.Port, ctl.Append(nil)), map[string]string{
			"ina_xaggctl.kind": "3", "ina_xaggctl.job": "5", "ina_xaggctl.tree": "2", "ina_xaggctl.number": "8",
		}},
		{"trioml of a wrong length", udpFrame(trioml.Port, padded(trioml.HeaderLen, 16, wrong.Put)), map[string]string{"ina_trioml.gradients": "17"}},
	}
}

// tshark runs tshark on a capture of the golden packets, with checksums checked.
func tshark(t *testing.T, list []packet, args ...string) string {
	t.Helper()
	program, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not here (Debian, Ubuntu: apt-get install tshark): the dissector was not run")
	}
	var file bytes.Buffer
	w, err := pcapfile.NewNgWriter(&file, "golden packets", []pcapfile.Interface{{Name: "tor:p0"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range list {
		at := start.Add(time.Duration(i))
		if err := w.Write(&pcapfile.NgPacket{Packet: pcapfile.Packet{At: at, Data: p.frame, Length: len(p.frame)}, Comments: []string{p.name}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "inalab.lua")
	if err := os.WriteFile(script, []byte(Lua()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"-r", "-", "-X", "lua_script:" + script, "-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"}, args...)...)
	cmd.Stdin = &file
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil || strings.Contains(strings.ToLower(said.String()), "lua") {
		t.Fatalf("tshark: %v: %s", err, &said)
	}
	return string(out)
}

// tshark reads every field as it was encoded, and finds nothing wrong with lengths and checksums.
func TestTsharkReadsGoldenPackets(t *testing.T) {
	list := packets()
	var names []string
	for _, p := range protocols() {
		for _, f := range p.fields {
			names = append(names, p.name+"."+f.name)
		}
		if p.count != "" {
			names = append(names, p.name+".values")
		}
	}
	args := []string{"-T", "fields", "-E", "separator=|"}
	for _, n := range names {
		args = append(args, "-e", n)
	}
	lines := strings.Split(strings.TrimSuffix(tshark(t, list, args...), "\n"), "\n")
	if len(lines) != len(list) {
		t.Fatalf("%d lines for %d packets", len(lines), len(list))
	}
	for i, p := range list {
		got := map[string]string{}
		for n, v := range strings.Split(lines[i], "|") {
			got[names[n]] = strings.NewReplacer("True", "1", "False", "0").Replace(v)
		}
		for name, want := range p.want {
			if got[name] != want {
				t.Errorf("%s: %s is %q, want %q", p.name, name, got[name], want)
			}
		}
	}
}

func TestTsharkFindsWrongLengthsAlone(t *testing.T) {
	list := packets()
	bad := tshark(t, list, "-Y", "_ws.expert.severity >= 0x600000 || _ws.malformed || ip.checksum.status == 0 || udp.checksum.status == 0", "-T", "fields", "-e", "frame.comment")
	if bad != "trioml of a wrong length\n" {
		t.Errorf("wrong in the eyes of tshark: %q", bad)
	}
	good := tshark(t, list, "-Y", "udp.checksum.status == 1 || ina_xagg", "-T", "fields", "-e", "frame.comment")
	if n := strings.Count(good, "\n"); n != len(list) {
		t.Errorf("%d of %d packets have checksums that are right", n, len(list))
	}
}

// The page of captures names every protocol of the dissector, and fields that there are.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/capture.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, p := range protocols() {
		if !strings.Contains(string(page), "`"+p.name+"`") {
			t.Errorf("docs/capture.md lacks %s", p.name)
		}
		for _, f := range p.fields {
			known[p.name+"."+f.name] = true
		}
	}
	for _, name := range regexp.MustCompile(`ina_\w+\.\w+`).FindAllString(string(page), -1) {
		if !known[name] {
			t.Errorf("docs/capture.md: there is no field %s", name)
		}
	}
}
