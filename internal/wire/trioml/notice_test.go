package trioml

import (
	"testing"

	"pgregory.net/rapid"
)

// A notice comes back as it was written; nothing that Parse accepts is one.
func TestNotice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := Notice{
			Job: rapid.Byte().Draw(t, "job"), Source: rapid.Byte().Draw(t, "source"), Strikes: rapid.Byte().Draw(t, "strikes"),
			Change: rapid.SampledFrom([]uint8{AgeTemporary, AgePermanent, AgeBack}).Draw(t, "change"), Gen: rapid.Uint16().Draw(t, "gen"),
		}
		b := make([]byte, HeaderLen)
		n.Put(b)
		if got, ok := ParseNotice(b); !ok || got != n {
			t.Fatalf("%+v comes back as %+v, %v", n, got, ok)
		}
		if _, problem := Parse(b); problem != NoGrads {
			t.Fatalf("a notice is taken for a packet of gradients: %q", problem)
		}
		if _, ok := ParseNotice(append(b, 0)); ok {
			t.Fatal("a longer payload is taken for a notice")
		}
		Header{Job: n.Job, Block: NoticeBlock - 1, AgeOp: n.Change}.Put(b)
		if _, ok := ParseNotice(b); ok {
			t.Fatal("a packet of a block is taken for a notice")
		}
		Header{Job: n.Job, Block: NoticeBlock, AgeOp: AgeTimeout}.Put(b)
		if _, ok := ParseNotice(b); ok {
			t.Fatal("an aged block is taken for a notice")
		}
	})
}
