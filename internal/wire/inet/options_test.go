package inet

import (
	"bytes"
	"testing"

	"github.com/inalab/inalab/internal/golden"
)

func TestIPOptionsGolden(t *testing.T) {
	plain := UDPHeader(labFlow())
	h := WithIPOptions(plain, []byte{1, 1, 1, 1}, 5)
	want := golden.Hex(t, `0200 0000 0002 0200 0000 0001 0800
		4600 0025 0000 0000 4011 63c2 0a01 0001 0a01 0002 0101 0101
		1234 5678 000d 0000`)
	if !bytes.Equal(h, want) {
		t.Errorf("got  %x\nwant %x", h, want)
	}
	l, problem := Parse(append(h, make([]byte, 5)...))
	if problem != OK || l.Transport != EtherLen+24 || FlowOf(h, l) != labFlow() || !IPv4(h[EtherLen:]).ChecksumOK() {
		t.Errorf("layout %+v, problem %q, flow %+v", l, problem, FlowOf(h, l))
	}
	if !bytes.Equal(plain, UDPHeader(labFlow())) {
		t.Error("the header without options has changed")
	}
}
