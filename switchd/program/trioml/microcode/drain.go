package microcode

import (
	"maps"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// A job that is removed drains: threads may be at work for it. At once its record gets
// a key that no packet has, and its blocks are deleted. Those that threads have pinned,
// own or are creating stay for the threads to end. When no thread is left that has
// found the job, the rest of it goes, and the place of its record. In instant mode no
// thread is in use between calls, and both happen in one.

// keyDraining is set in the keys of records of jobs that drain.
const keyDraining = 1 << 40

// drain begins to remove the records of a job and returns how many there are of
// blocks.
func (e *Engine) drain(now units.Time, id uint8) (blocks int) {
	keys := e.blocksOf(id)
	e.dropIdle(keys)
	e.Memory().Hash().Rename(key(id, JobBlock), keyDraining|key(id, JobBlock))
	e.draining[id] = now
	return len(keys)
}

// blocksOf returns the keys of the block records of a job.
func (e *Engine) blocksOf(id uint8) (keys []uint64) {
	for k := range e.Memory().Hash().All() {
		if k>>32 == uint64(id) && uint32(k) != JobBlock {
			keys = append(keys, k)
		}
	}
	return keys
}

// endDraining ends it for the jobs that no thread is at work for any more. Blocks that
// threads have created after their job was removed go too. A timer's thread may
// have begun later and be at one of them; then the job has to wait for it.
func (e *Engine) endDraining() {
	oldest := e.OldestWork()
	for _, id := range slices.Sorted(maps.Keys(e.draining)) {
		at := e.draining[id]
		if oldest <= at || e.dropIdle(e.blocksOf(id)) > 0 && oldest != units.Never {
			continue
		}
		for _, k := range e.blocksOf(id) { // of threads that have ended for a fault
			e.drop(k)
		}
		e.Memory().Hash().Delete(keyDraining | key(id, JobBlock))
		e.clearJob(id)
		delete(e.draining, id)
	}
	e.SetPermanent(e.jobRecords())
}

// dropIdle deletes the records that no thread has pinned, owns or creates, and
// returns how many are left.
func (e *Engine) dropIdle(keys []uint64) (left int) {
	for _, k := range keys {
		a, _ := e.Memory().Hash().Peek(k)
		if r, ready := e.blockAt(a); ready && r.InFlight == 0 && !r.Owned {
			e.drop(k)
		} else {
			left++
		}
	}
	return left
}

// drop deletes a record and clears its buffer for the next one in its place. A
// thread that is about to pin the record, or to own it, finds that it has an owner.
func (e *Engine) drop(k uint64) {
	m := e.Memory()
	a, _ := m.Hash().Peek(k)
	if r, ready := e.blockAt(a); ready {
		var zeros [mem.MaxAccess]byte
		for at := 0; at < 4*r.Grads; at += len(zeros) {
			m.Write(r.Aggr+mem.Addr(at/mem.WordBytes), zeros[:])
		}
	}
	m.FetchOr(a+countWord, bitOwned)
	m.Hash().Delete(k)
}

// clearJob clears the tombstones and the strikes of a job, for the next one of that
// id.
func (e *Engine) clearJob(id uint8) {
	e.zero(e.addr.tombs+mem.Addr(id)*tombWords, tombWords)
	e.clearStragglers(id)
}

// zero clears n words of memory. Those that are zero it leaves alone: to write to
// them would take memory.
func (e *Engine) zero(start mem.Addr, n int) {
	for a := start; a < start+mem.Addr(n); a++ {
		if v, _ := e.Memory().Load(a); v != 0 {
			e.Memory().Store(a, 0)
		}
	}
}
