package pcapfile_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// block makes a block of pcapng.
func block(kind uint32, body []byte) []byte {
	n := uint32(12 + len(body))
	out := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, kind), n)
	return binary.LittleEndian.AppendUint32(append(out, body...), n)
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
}
