package pcapfile_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket/layers"

	"github.com/inalab/inalab/internal/pcapfile"
	"github.com/inalab/inalab/internal/pcapfile/pcapfiletest"
)

// three packets: one of a second interface, one cut short.
const three = `
	0s   udp 10.0.0.1 10.0.0.2 100
	1ms  arp
	2ms  snap 60 udp 10.0.0.1 10.0.0.2 1000`

func parse(t testing.TB, text string) []pcapfiletest.Packet {
	t.Helper()
	list, err := pcapfiletest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func pcap(t testing.TB, text string) []byte {
	t.Helper()
	b, err := pcapfiletest.Pcap(parse(t, text), layers.LinkTypeEthernet)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func pcapng(t testing.TB, text string) []byte {
	t.Helper()
	b, err := pcapfiletest.Pcapng(parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// read reads a file as a.pcap, to its end or to what is wrong.
func read(file []byte) (out []pcapfile.Packet, err error) {
	r, err := pcapfile.NewReader("a.pcap", bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	for {
		p, err := r.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, p)
	}
}

func gzipped(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(b)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Both formats, also compressed, give the packets that were written.
func TestReadsBothFormats(t *testing.T) {
	want := parse(t, three)
	for name, file := range map[string][]byte{
		"pcap": pcap(t, three), "pcapng": pcapng(t, three), "pcap.gz": gzipped(t, pcap(t, three)), "pcapng.gz": gzipped(t, pcapng(t, three)),
	} {
		got, err := read(file)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%s: %d packets, %v", name, len(got), err)
		}
		for i, p := range got {
			whole := want[i].Frame
			stored := whole
			if i == 2 {
				stored = whole[:60]
			}
			at := pcapfiletest.Start.Add(time.Duration(i) * time.Millisecond)
			if !p.At.Equal(at) || !bytes.Equal(p.Data, stored) || p.Length != len(whole) || p.Interface != 0 {
				t.Errorf("%s: packet %d is %d of %d bytes at %v by %d", name, i+1, len(p.Data), p.Length, p.At, p.Interface)
			}
		}
	}
}

// The snapshot length of a pcap file is not believed: some programs write one that packets
// exceed, some write 0.
func TestSnapshotLengthIsNotBelieved(t *testing.T) {
	for _, snap := range []byte{0, 10} {
		file := pcap(t, three)
		copy(file[16:20], []byte{snap, 0, 0, 0})
		if got, err := read(file); err != nil || len(got) != 3 {
			t.Errorf("%d packets, %v", len(got), err)
		}
	}
}

func TestInterfaces(t *testing.T) {
	got, err := read(pcapng(t, "0s if 1 arp\n0s if 0 arp"))
	if err != nil || len(got) != 2 || got[0].Interface != 1 || got[1].Interface != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// A file that is cut anywhere gives the packets before, and an error that names the next one
// and the byte, but for a cut between packets, which is the end.
func TestCut(t *testing.T) {
	whole := pcap(t, three)
	const header, first = 24, 16 + 142
	for n := 1; n < len(whole); n++ {
		got, err := read(whole[:n])
		packets := 0
		for end := header + first; end <= n && packets < 2; end += 16 + 60 {
			packets++
		}
		between := n == header || n == header+first || n == header+first+16+60
		want := fmt.Sprintf("a.pcap: cut within packet %d: the file ends at byte %d", packets+1, n)
		switch {
		case n < 4:
			want = "no capture in pcap or pcapng"
		case n < header:
			want = fmt.Sprintf("a.pcap: cut within its header: the file ends at byte %d", n)
		}
		if len(got) != packets || between != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Fatalf("cut at %d: %d packets, %v; want %d, %q", n, len(got), err, packets, want)
		}
	}
	ng := pcapng(t, three)
	for n := 1; n < len(ng); n++ {
		got, err := read(ng[:n])
		if err == nil && len(got) == 3 || len(got) > 3 {
			t.Fatalf("pcapng cut at %d of %d: %d packets and no error", n, len(ng), len(got))
		}
		if err != nil && !strings.Contains(err.Error(), "a.pcap") {
			t.Errorf("the error does not name the file: %v", err)
		}
	}
	if _, err := read(gzipped(t, whole)[:60]); err == nil || !strings.Contains(err.Error(), "cut within") {
		t.Errorf("a cut compressed file: %v", err)
	}
}

func TestRefuses(t *testing.T) {
	long := slices.Clone(pcap(t, "0s arp"))
	copy(long[24+8:], []byte{0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f})
	cooked, err := pcapfiletest.Pcap(parse(t, "0s arp"), layers.LinkTypeLinuxSLL2)
	if err != nil {
		t.Fatal(err)
	}
	for want, file := range map[string][]byte{
		"a.pcap: the file is empty":               nil,
		"it begins with 7f 45 4c 46: no capture":  []byte("\x7fELF and more"),
		"damaged at packet 1":                     long,
		"packet 1 has link type 276 (Linux SLL2)": cooked,
		"capture on one Ethernet interface":       cooked,
		"a.pcap: gzip":                            {0x1f, 0x8b, 0, 0, 0, 0, 0, 0, 0, 0, 0},
	} {
		if _, err := read(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// What is written is read again.
func TestWriteReads(t *testing.T) {
	var b bytes.Buffer
	w, err := pcapfile.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	at := pcapfiletest.Start.Add(123456789)
	frame := []byte("a frame of some bytes")
	if err := w.Write(at, frame, 100); err != nil {
		t.Fatal(err)
	}
	got, err := read(b.Bytes())
	if err != nil || len(got) != 1 || !got[0].At.Equal(at) || !bytes.Equal(got[0].Data, frame) || got[0].Length != 100 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, err := range []error{
		w.Write(time.Unix(-1, 0), frame, len(frame)), w.Write(time.Unix(1<<33, 0), frame, len(frame)),
		w.Write(at, frame, pcapfile.MaxFrame+1), w.Write(at, frame, 1),
	} {
		if err == nil {
			t.Error("a packet that pcap has no room for was written")
		}
	}
}

// FuzzRead wants no panic and no packet that is none, whatever the file.
func FuzzRead(f *testing.F) {
	f.Add(pcap(f, three))
	f.Add(pcapng(f, three))
	f.Add(pcapng(f, "0s if 1 arp"))
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := read(file)
		for _, p := range got {
			if len(p.Data) > p.Length || p.Length > pcapfile.MaxFrame {
				t.Errorf("a packet of %d of %d bytes", len(p.Data), p.Length)
			}
		}
		if err != nil && !strings.HasPrefix(err.Error(), "a.pcap") {
			t.Errorf("the error does not name the file: %v", err)
		}
	})
}
