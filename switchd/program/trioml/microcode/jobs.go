package microcode

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// nextHop returns the next hop of a job's results; 0 is that of other traffic.
func nextHop(id uint8) uint32 { return uint32(id) + 1 }

// add sets up a job, its record last: from then on packets meet it.
func (e *Engine) add(j trioml.Job) error {
	if need, left := recordsOf(j), e.freeRecords(); need > left {
		return fmt.Errorf("job %d may come to have %d records, its own and those of %d blocks: %d of %d are left", j.ID, need, j.BlockMax, left, e.Memory().Hash().Cap())
	}
	if err := e.SetNextHop(trio.NextHop{Index: nextHop(j.ID), To: j.To}); err != nil {
		return err
	}
	r := e.record(j)
	var waits [8 * waitWords]byte
	putMask(waits[:], r.SrcMask)
	if err := errors.Join(e.write(j, "the headers of its results", e.egressOf(j.ID), egress(j)), e.write(j, "its sources", e.waitsOf(j.ID), waits[:])); err != nil {
		return err
	}
	a, _, ok := e.Memory().Hash().Insert(key(j.ID, JobBlock))
	if !ok {
		return fmt.Errorf("job %d: the hash table has no room for its record", j.ID)
	}
	var b [recordBytes]byte
	r.Put(b[:])
	if err := e.write(j, "its record", a, b[:]); err != nil {
		return err
	}
	e.raiseLastJob(j.ID)
	e.jobs.Add(j)
	e.SetPermanent(e.jobRecords())
	return nil
}

// jobRecords returns how many records are of jobs.
func (e *Engine) jobRecords() int { return e.jobs.Len() + len(e.draining) }

// freeRecords returns how many records are left, if every job comes to have as many
// blocks as its cap allows. Jobs that drain may still have theirs. Left out are the records
// that threads create for packets over a cap, and delete at once.
func (e *Engine) freeRecords() int {
	left := e.Memory().Hash().Cap()
	for k, a := range e.Memory().Hash().All() {
		if uint32(k) == JobBlock {
			r, _ := e.jobAt(a)
			left -= 1 + r.BlockCntMax
		}
	}
	return left
}

// record makes the job record.
func (e *Engine) record(j trioml.Job) JobRecord {
	return JobRecord{
		Late: e.cfg.Late != trioml.LateNaive, Tombs: e.cfg.Late == trioml.LateTombstone, Absent: e.cfg.Age == trioml.AgeAbsent,
		Job: j.ID, OutSrcID: j.OutSource, BlockCntMax: j.BlockMax, BlockGradMax: j.GradMax,
		BlockExp:   trioml.Exp(j.Timeout),
		OutSrcAddr: j.Out.Src, OutDstAddr: j.Out.Dst, OutNHAddr: e.egressOf(j.ID), SrcCnt: uint8(len(j.Sources)), SrcMask: j.SourceMask(),
	}
}

// egress returns the egress entry of a job.
func egress(j trioml.Job) []byte {
	b := make([]byte, 8*egressWords)
	binary.BigEndian.PutUint32(b, nextHop(j.ID))
	copy(b[len(b)-inet.UDPHeaders:], inet.UDPHeader(j.Out))
	return b
}

func (e *Engine) write(j trioml.Job, what string, a mem.Addr, b []byte) error {
	if f := e.Memory().Write(a, b); f != mem.NoFault {
		return fmt.Errorf("job %d: writing %s: %v", j.ID, what, f)
	}
	return nil
}
