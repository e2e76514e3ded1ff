package pcapfile_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// words makes bytes of numbers of 32 bits.
func words(order binary.AppendByteOrder, list ...uint32) (out []byte) {
	for _, v := range list {
		out = order.AppendUint32(out, v)
	}
	return out
}

// blockIn makes a block of pcapng.
func blockIn(order binary.AppendByteOrder, kind uint32, body []byte) []byte {
	n := uint32(12 + len(body))
	return slices.Concat(words(order, kind, n), body, words(order, n))
}

func block(kind uint32, body []byte) []byte { return blockIn(binary.LittleEndian, kind, body) }

// section is a section of pcapng in a byte order: an interface that keeps so many bytes of a
// packet, and a simple packet of 60 bytes.
func section(order binary.AppendByteOrder, snap uint32) []byte {
	header := slices.Concat(words(order, 0x1a2b3c4d), order.AppendUint16(order.AppendUint16(nil, 1), 0), words(order, 0xffffffff, 0xffffffff))
	iface := slices.Concat(order.AppendUint16(order.AppendUint16(nil, 1), 0), words(order, snap))
	kept := make([]byte, min(snap, 60))
	return slices.Concat(blockIn(order, 0x0a0d0d0a, header), blockIn(order, 1, iface), blockIn(order, 3, append(words(order, 60), kept...)))
}

// Sections have byte orders and interfaces of their own.
func TestSections(t *testing.T) {
	for _, orders := range [][]binary.AppendByteOrder{
		{binary.LittleEndian, binary.BigEndian}, {binary.BigEndian, binary.LittleEndian}, {binary.BigEndian},
	} {
		var file []byte
		for i, o := range orders {
			file = append(file, section(o, uint32(40+100*i))...)
		}
		got, err := read(file)
		if err != nil || len(got) != len(orders) {
			t.Fatalf("%d packets of %d, %v", len(got), len(orders), err)
		}
		for i, p := range got {
			if want := min(60, 40+100*i); len(p.Data) != want || p.Length != 60 {
				t.Errorf("packet %d has %d of %d bytes, want %d", i+1, len(p.Data), p.Length, want)
			}
		}
	}
}

// firstPacket returns where the block of the first packet starts.
func firstPacket(t *testing.T, file []byte) int {
	t.Helper()
	at := 0
	for binary.LittleEndian.Uint32(file[at:]) != 6 {
		at += int(binary.LittleEndian.Uint32(file[at+4:]))
	}
	return at
}

// Blocks that packets do not need are passed over, however long they are.
func TestOtherBlocksArePassedOver(t *testing.T) {
	file := pcapng(t, three)
	at := firstPacket(t, file)
	for _, n := range []int{0, 4, 3 << 20} {
		got, err := read(slices.Concat(file[:at], block(0x0bad, make([]byte, n)), file[at:]))
		if err != nil || len(got) != 3 {
			t.Errorf("a block of %d bytes: %d packets, %v", n, len(got), err)
		}
	}
	if _, err := read(append(file[:at:at], block(0x0bad, make([]byte, 100))[:50]...)); err == nil || !strings.Contains(err.Error(), "cut within packet 1") {
		t.Errorf("a cut in such a block: %v", err)
	}
}

// A simple packet has no time, and no more bytes than its interface keeps of one.
func TestSimplePacket(t *testing.T) {
	file := pcapng(t, "")
	frame := bytes.Repeat([]byte{7}, 60)
	body := append(binary.LittleEndian.AppendUint32(nil, 60), frame...)
	got, err := read(append(file, block(3, body)...))
	if err != nil || len(got) != 1 || !got[0].At.IsZero() || !bytes.Equal(got[0].Data, frame) {
		t.Errorf("%+v, %v", got, err)
	}
}

// A length that does not fit its block is damage, found before anything is made of it.
func TestDamagedLengths(t *testing.T) {
	whole := pcapng(t, "0s arp")
	at := firstPacket(t, whole)
	for _, c := range []struct {
		offset int
		value  uint32
		want   string
	}{
		{4, 97, "has 97 bytes: blocks have a multiple of 4, 12 and more"},
		{4, 8, "has 8 bytes: blocks have"},
		{4, 28, "has 28 bytes: a packet's has 32 and more"},
		{4, 1<<20 + 4, "at most 1048576 are read"},
		{20, 0xfffffff0, "has a packet of 4294967280 bytes, and room for 60"},
	} {
		file := slices.Clone(whole)
		binary.LittleEndian.PutUint32(file[at+c.offset:], c.value)
		_, err := read(file)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "a.pcap: damaged at packet 1: the block at byte") {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	simple := append(pcapng(t, ""), block(3, []byte{0xff, 0xff, 0xff, 0x7f})...)
	if _, err := read(simple); err == nil || !strings.Contains(err.Error(), "and room for 0") {
		t.Errorf("a simple packet: %v", err)
	}
	kept := append(section(binary.LittleEndian, 100), block(3, append(words(binary.LittleEndian, 200), make([]byte, 20)...))...)
	if got, err := read(kept); len(got) != 1 || err == nil || !strings.Contains(err.Error(), "a packet of 100 bytes, and room for 20") {
		t.Errorf("a simple packet that is kept in part: %d packets, %v", len(got), err)
	}
}
