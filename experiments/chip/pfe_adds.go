package chip

import (
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// scatter adds 1 to as many words in a row as the packet's first byte of payload times 16
// says, from the one on that its next two bytes name, without waiting in between.
const scatter = `
register u32 left;
register u32 at;
lmem u32 one[1] @ 0;
virtual u8 *times = HEAD_START + 42;
virtual u16 *first = HEAD_START + 43;
dram words[69632];
packet entry start;
start:
begin
    left = *times << 4;
    one[0] = 1;
end
begin
    at = *first;
end
again:
begin
    const : was = left;
    async MemAdd32(words + at, 0, one, 4);
    left = left - 1;
    at = at + 1;
    if (was > 1) goto again;
end
begin
    XtxnWait();
end
begin
    Drop(0);
    exit;
end
`

// scatterRow is how many words a thread of scatter adds to.
const scatterRow = 16 * 255

// pfeAdds is Trio §6.3: additions a second of all engines of a PFE, on a memory that threads
// load from everywhere. Each thread adds to words in a row, from one that is drawn.
func pfeAdds(f *experiment.Findings, e *experiment.Env) error {
	m := NewMachine(e)
	m.timing.Instruction, m.timing.Packet = trio.Cycle, 0 // fast threads, so that the engines are what they wait for
	d, err := newPFEDriver("scatter.mc", scatter, trio.Config{Timing: &m.timing, PPEs: m.PPEs, Threads: m.Threads, Memory: m.Memory})
	if err != nil {
		return err
	}
	rnd, threads := e.Seed.Stream("trio.pfe/adds"), e.Trials(2500)
	for w := range threads {
		first := rnd.IntN(1 << 16)
		h, body := inet.UDPHeader(rig.TrioUp(w%250)), []byte{255, byte(first >> 8), byte(first)}
		inet.SetUDPBody(h, len(body))
		d.arrive(0, sansio.Train{Header: h, Body: body})
	}
	d.feed.Drain()
	sum, err := d.wordsSum()
	if err != nil {
		return err
	}
	if adds := threads * scatterRow; sum != adds {
		return fmt.Errorf("%d of %d additions are in the memory", sum, adds)
	}
	took := d.feed.Now.Sub(0)
	f.Set("trio.s6.3.rmw-rate", claims.Number(float64(sum)/took.Seconds()).
		On("Microcode on an emulated PFE, timed, whose threads take a clock for an instruction").
		Noting("%d threads add to %d words each, from one that is drawn: %v from the first packet to the end of the last thread", threads, scatterRow, took))
	return nil
}

// wordsSum adds up what scatter has added.
func (d *pfeDriver) wordsSum() (sum int, err error) {
	words, _ := d.program.Symbol("words")
	for at := range mem.Addr(69632) {
		v, fault := d.Memory().Load(mem.Addr(words.Value) + at)
		if fault != mem.NoFault {
			return 0, fmt.Errorf("reading a word: %v", fault)
		}
		sum += int(v >> 32) // the first half of the word
	}
	return sum, nil
}
