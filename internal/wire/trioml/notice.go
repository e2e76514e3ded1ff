package trioml

// NoticeBlock is the block_id of notices; no block has it.
const NoticeBlock uint32 = 0xffffffff

// Codes of age_op in a notice, ours: what has become of a source (Trio §5,
// "Advanced straggler mitigation").
const (
	AgeTemporary uint8 = 2 // it straggles
	AgePermanent uint8 = 3 // it has straggled for so long that it is taken for dead
	AgeBack      uint8 = 4 // it no longer does
)

// Notice tells the workers of a job about one source. It is a packet of the job
// without gradients, which [Parse] refuses with [NoGrads]: a worker that knows
// nothing of notices drops it.
//
//	block_id 0xffffffff, age_op the change, src_id the source, src_cnt its strikes
type Notice struct {
	Job     uint8
	Source  uint8
	Change  uint8  // AgeTemporary, AgePermanent or AgeBack
	Strikes uint8  // periods in a row with a straggler event, 255 for more; 0 for AgeBack
	Gen     uint16 // newest generation of the job
}

// ParseNotice reads a notice; false if the payload is something else.
func ParseNotice(payload []byte) (Notice, bool) {
	h, problem := Parse(payload)
	if problem != NoGrads || len(payload) != HeaderLen || h.Block != NoticeBlock || h.AgeOp < AgeTemporary || h.AgeOp > AgeBack {
		return Notice{}, false
	}
	return Notice{Job: h.Job, Source: h.Source, Change: h.AgeOp, Strikes: h.SrcCnt, Gen: h.Gen}, true
}

// Put writes n to the first HeaderLen bytes of b.
func (n Notice) Put(b []byte) {
	Header{Job: n.Job, Block: NoticeBlock, AgeOp: n.Change, Source: n.Source, SrcCnt: n.Strikes, Gen: n.Gen}.Put(b)
}
