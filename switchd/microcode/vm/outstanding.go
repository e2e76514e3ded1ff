package vm

import (
	"math/bits"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// outstanding are asynchronous reads of a thread. What they bring is in local memory when
// XtxnWait is done, not before (trio §3.1: the thread continues running). Until then
// nothing may use the bytes: which of the two data it met would depend on the time.
type outstanding struct {
	any   bool
	bytes isa.LMEMSet
	data  *[isa.LMEMBytes]byte // by byte of LMEM; nil: the thread has never read so
}

// expect notes that the pending XTXN, if it is an asynchronous read, is under way.
func (t *Thread) expect() {
	if r := &t.Pending; r.Async && r.XTXN.Fills() {
		t.reads.any = true
		if t.reads.data == nil {
			t.reads.data = new([isa.LMEMBytes]byte)
		}
		t.reads.bytes.Add(int(r.LMEM), int(r.Len))
		clear(t.Buffer())
	}
}

// arrive puts into local memory what has been read.
func (t *Thread) arrive() {
	if !t.reads.any {
		return
	}
	for word, set := range t.reads.bytes {
		for set != 0 {
			from := bits.TrailingZeros64(set)
			to := from + bits.TrailingZeros64(^(set >> from))
			copy(t.LMEM[64*word+from:64*word+to], t.reads.data[64*word+from:])
			set = set >> from & (set>>from + 1) << from // without the lowest run
		}
	}
	t.reads.any = false
	t.reads.bytes = isa.LMEMSet{}
}

// replied does what has to be done when the pending XTXN is.
func (t *Thread) replied(reply uint64) {
	if t.reply != nil {
		t.reply.store(t, t.replyAt, reply)
	}
	if t.Pending.XTXN == isa.XtxnWait {
		t.arrive()
	}
}

// Awaits reports whether an asynchronous read of any of n bytes of LMEM has not been waited
// for. Their content is not defined.
func (t *Thread) Awaits(at, n int) bool { return t.reads.any && t.reads.bytes.Has(at, n) }

// use ends the thread if bits of LMEM from one on are awaited.
func (t *Thread) use(bit, width int32) {
	if at := bit / 8; t.reads.bytes.Has(int(at), int((bit+width+7)/8-at)) {
		t.fail(NotAwaited)
	}
}
