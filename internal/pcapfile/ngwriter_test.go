package pcapfile_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket/pcapgo"

	"github.com/inalab/inalab/internal/pcapfile"
	"github.com/inalab/inalab/internal/pcapfile/pcapfiletest"
)

func ngPacket(at time.Time, of int, data string, length int) *pcapfile.NgPacket {
	return &pcapfile.NgPacket{Packet: pcapfile.Packet{At: at, Interface: of, Data: []byte(data), Length: length}}
}

// What is written is read again, here and by gopacket: times, interfaces, comments, directions, counts.
func TestNgWriteReads(t *testing.T) {
	var b bytes.Buffer
	w, err := pcapfile.NewNgWriter(&b, "two points", []pcapfile.Interface{{Name: "s:p0", Description: "wire to h0", Filter: "job=1"}, {Name: "s:p1"}})
	if err != nil {
		t.Fatal(err)
	}
	at := pcapfiletest.Start.Add(123456789)
	in, out := ngPacket(at, 0, "fourteen bytes", 100), ngPacket(at.Add(1), 1, "a frame of odd length!!", 23)
	in.Direction, in.Comments = pcapfile.Inbound, []string{"added", "and more"}
	out.Direction = pcapfile.Outbound
	for _, p := range []*pcapfile.NgPacket{in, out} {
		if err := w.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Count(1, at, 7, 2); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	got, err := read(b.Bytes())
	if err != nil || len(got) != 2 {
		t.Fatalf("%d packets, %v", len(got), err)
	}
	for i, want := range []*pcapfile.NgPacket{in, out} {
		if !got[i].At.Equal(want.At) || got[i].Interface != want.Interface || !bytes.Equal(got[i].Data, want.Data) || got[i].Length != want.Length {
			t.Errorf("packet %d: %+v, want %+v", i, got[i], want.Packet)
		}
	}
	checkNgOptions(t, b.Bytes())
}

func checkNgOptions(t *testing.T, file []byte) {
	t.Helper()
	r, err := pcapgo.NewNgReader(bytes.NewReader(file), pcapgo.NgReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, _, first, err := r.ReadPacketDataWithOptions()
	if err != nil || strings.Join(first.Comments, "|") != "added|and more" || first.Flags.Direction != pcapgo.NgEpbFlagDirectionInbound {
		t.Errorf("options %+v, %v", first, err)
	}
	_, _, second, err := r.ReadPacketDataWithOptions()
	if err != nil || len(second.Comments) != 0 || second.Flags.Direction != pcapgo.NgEpbFlagDirectionOutbound {
		t.Errorf("options %+v, %v", second, err)
	}
	_, _, _ = r.ReadPacketData() // the end, on the way to which counts are read
	about, err := r.Interface(1)
	if err != nil || about.Name != "s:p1" || about.Statistics.PacketsReceived != 7 || about.Statistics.PacketsDropped != 2 {
		t.Errorf("interface %+v, %v", about, err)
	}
	if about, err = r.Interface(0); err != nil || about.Name != "s:p0" || about.Description != "wire to h0" || about.Filter != "job=1" {
		t.Errorf("interface %+v, %v", about, err)
	}
}

func TestNgWriterRefuses(t *testing.T) {
	if _, err := pcapfile.NewNgWriter(&bytes.Buffer{}, "", nil); err == nil {
		t.Error("a file without an interface was begun")
	}
	w, err := pcapfile.NewNgWriter(&bytes.Buffer{}, "", []pcapfile.Interface{{Name: "s:p0"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*pcapfile.NgPacket{
		ngPacket(time.Unix(-1, 0), 0, "x", 1), ngPacket(time.Unix(1<<33, 0), 0, "x", 1),
		ngPacket(pcapfiletest.Start, 1, "x", 1), ngPacket(pcapfiletest.Start, 0, "xx", 1),
	} {
		if w.Write(p) == nil {
			t.Errorf("written: %+v", p)
		}
	}
}
