package reference

import (
	"math"
	"testing"

	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/program/atp"
)

// What the switch does with a packet (ATP, NSDI 2021, §3.5, §3.7, Figs 7 and 17, appendix A.1). A step
// names who sends, what goes on (bitmaps, flags, value), and the aggregators in use afterwards. Flags:
// resend, collision, mark, edge switch, ack, overflow.
func TestAtTheFirstLevel(t *testing.T) {
	for name, steps := range map[string][]step{
		"first reserves, others are added, the last bears the sum and the aggregator stays": {
			{grad(0, 5), "", "2: 1.5 1 n1"},
			{grad(1, 5), "", "2: 1.5 11 n2"},
			{grad(2, 5), "111/10 e =6", "2: 1.5 111 n3"},
			{param(5), "0/0 a =99", ""},
		},
		"a duplicate of an incomplete one is dropped": {
			{grad(0, 5), "", "2: 1.5 1 n1"},
			{grad(0, 5).val(100), "", "2: 1.5 1 n1"},
			{grad(1, 5), "", "2: 1.5 11 n2"},
			{grad(2, 5), "111/10 e =6", "2: 1.5 111 n3"},
		},
		"a duplicate of a complete one is dropped": {
			{grad(0, 5), "", "2: 1.5 1 n1"},
			{grad(1, 5), "", "2: 1.5 11 n2"},
			{grad(2, 5), "111/10 e =6", "2: 1.5 111 n3"},
			{grad(2, 5), "", "2: 1.5 111 n3"},
			{grad(0, 5), "", "2: 1.5 111 n3"},
		},
		"a mark of any packet is in the sum": {
			{grad(0, 5), "", "2: 1.5 1 n1"},
			{grad(1, 5).marked(), "", "2: 1.5 11 n2 m"},
			{grad(2, 5), "111/10 me =6", "2: 1.5 111 n3 m"},
		},
		"a mark of the first": {
			{grad(0, 5).flags(wire.ECN), "", "2: 1.5 1 n1 m"},
			{grad(1, 5), "", "2: 1.5 11 n2 m"},
			{grad(2, 5), "111/10 me =6", "2: 1.5 111 n3 m"},
		},
		"a mark of the last": {
			{grad(0, 5), "", "2: 1.5 1 n1"},
			{grad(1, 5), "", "2: 1.5 11 n2"},
			{grad(2, 5).marked(), "111/10 me =6", "2: 1.5 111 n3 m"},
		},
		"the mark of a dropped duplicate is kept": {
			{grad(0, 5), "", "2: 1.5 1 n1"},
			{grad(0, 5).marked(), "", "2: 1.5 1 n1 m"},
			{grad(1, 5), "", "2: 1.5 11 n2 m"},
			{grad(2, 5), "111/10 me =6", "2: 1.5 111 n3 m"},
		},
		"another number collides and changes nothing": {
			{grad(0, 5), "", "2: 1.5 1 n1"},
			{grad(0, 6), "1/10 rce =1", "2: 1.5 1 n1"},
			{grad(1, 6).marked(), "10/10 rcme =2", "2: 1.5 1 n1"},
		},
		"another job collides": {
			{grad(0, 5).job(2).fans(2, 2), "", "2: 2.5 1 n1"},
			{grad(1, 5), "10/10 rce =2", "2: 2.5 1 n1"},
			{grad(1, 5).job(2).fans(2, 2), "11/10 e =3", "2: 2.5 11 n2"},
		},
		"a resend that is missing is added, bears all on, and frees": {
			{grad(0, 5), "", "2: 1.5 1 n1"},
			{grad(1, 5).marked(), "", "2: 1.5 11 n2 m"},
			{grad(2, 5).resend(), "111/10 rme =6", ""},
			{grad(0, 5).resend(), "1/10 re =1", ""},
		},
		"a resend that is in bears all on once, and frees": {
			{grad(0, 5), "", "2: 1.5 1 n1"},
			{grad(1, 5), "", "2: 1.5 11 n2"},
			{grad(0, 5).resend(), "11/10 re =3", ""},
		},
		"a resend of a complete one bears the sum on, and frees": {
			{grad(0, 5), "", "2: 1.5 1 n1"},
			{grad(1, 5), "", "2: 1.5 11 n2"},
			{grad(2, 5), "111/10 e =6", "2: 1.5 111 n3"},
			{grad(1, 5).resend(), "111/10 re =6", ""},
		},
		"a resend never reserves": {
			{grad(0, 5).resend(), "1/10 re =1", ""},
			{grad(1, 5).resend().marked(), "10/10 rme =2", ""},
		},
		"a resend leaves another's aggregator, and is no collision": {
			{grad(0, 5), "", "2: 1.5 1 n1"},
			{grad(1, 6).resend(), "10/10 re =2", "2: 1.5 1 n1"},
		},
		"a parameter packet of another number, or index, frees nothing young": {
			{grad(0, 5), "", "2: 1.5 1 n1"},
			{param(6), "0/0 a =99", "2: 1.5 1 n1"},
			{param(5).at(3), "0/0 a =99", "2: 1.5 1 n1"},
			{param(5).paramOf(2), "0/0 a =99", "2: 1.5 1 n1"},
			{param(5), "0/0 a =99", ""},
			{param(5), "0/0 a =99", ""},
		},
		"a parameter packet that is sent again frees, and so does a result in floats": {
			{grad(0, 5), "", "2: 1.5 1 n1"},
			{param(5).resend(), "0/0 ra =99", ""},
			{grad(0, 6), "", "2: 1.6 1 n1"},
			{param(6).flags(wire.Overflow | wire.Resend), "0/0 rao =99", ""},
		},
		"a request for floats frees nothing": {
			{grad(0, 5), "", "2: 1.5 1 n1"},
			{param(5).flags(wire.Overflow), "0/0 ao =99", "2: 1.5 1 n1"},
		},
		"floats pass": {
			{grad(0, 5), "", "2: 1.5 1 n1"},
			{grad(1, 5).flags(wire.Overflow | wire.Resend), "10/10 ro =2", "2: 1.5 1 n1"},
			{grad(1, 5).flags(wire.Overflow), "10/10 o =2", "2: 1.5 1 n1"},
		},
		"a mark is taken off a packet that was marked before": {
			{param(5).marked().flags(wire.ECN), "0/0 ma =99", ""},
		},
		"a mark on the way down is in the header from here on": {
			{param(5).marked(), "0/0 ma =99", ""},
		},
		"what clipped stays so": {
			{grad(0, 5).val(math.MaxInt32 - 1), "", "2: 1.5 1 n1"},
			{grad(1, 5).val(2), "", "2: 1.5 11 n2"},
			{grad(2, 5).val(-5), "111/10 e =2147483647", "2: 1.5 111 n3"},
		},
		"what comes clipped stays so": {
			{grad(0, 5).val(-5), "", "2: 1.5 1 n1"},
			{grad(1, 5).val(math.MinInt32), "", "2: 1.5 11 n2"},
			{grad(2, 5).val(math.MaxInt32), "111/10 e =-2147483648", "2: 1.5 111 n3"},
		},
		"unstored values are not added to stored ones": {
			{grad(0, 5), "", "2: 1.5 1 n1"},
			{grad(1, 5).unstoredValues(), "10/10 re unstored", "2: 1.5 1 n1"},
			{grad(1, 5).unstoredValues().resend(), "10/10 re unstored", ""},
		},
		"unstored values are counted": {
			{grad(0, 5).unstoredValues(), "", "2: 1.5 1 n1"},
			{grad(1, 5).unstoredValues(), "", "2: 1.5 11 n2"},
			{grad(2, 5).unstoredValues(), "111/10 e unstored", "2: 1.5 111 n3"},
			{grad(0, 5).unstoredValues().resend(), "111/10 re unstored", ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			newBench(t, first(1, 3), first(2, 2)).run(steps)
		})
	}
}

func TestAtTheSecondLevel(t *testing.T) {
	for name, steps := range map[string][]step{
		"racks and the workers of the server's rack are added": {
			{rackSum(1, 5), "", "2: 1.5 10 n1"},
			{rackSum(0, 5).marked(), "", "2: 1.5 11 n2 m"},
			{rackSum(2, 5), "1/111 me =60", "2: 1.5 111 n3 m"},
			{param(5), "0/0 a =99", ""},
		},
		"a rack's sum may come by any of its ports": {
			{rackSum(1, 5).by(6), "", "2: 1.5 10 n1"},
			{rackSum(1, 5).by(5), "", "2: 1.5 10 n1"},
		},
		"a partial sum of a rack is not added, and what is here is discarded": {
			{rackSum(0, 5), "", "2: 1.5 1 n1"},
			{rackSum(2, 5), "", "2: 1.5 101 n2"},
			{rackSum(1, 5).bitmaps(1, 2).resend(), "1/10 re =20", ""},
			{rackSum(1, 5).bitmaps(2, 2).resend(), "10/10 re =20", ""},
		},
		"a complete one is discarded likewise": {
			{rackSum(0, 5), "", "2: 1.5 1 n1"},
			{rackSum(1, 5), "", "2: 1.5 11 n2"},
			{rackSum(2, 5), "1/111 e =60", "2: 1.5 111 n3"},
			{rackSum(0, 5).resend(), "1/1 re =10", ""},
		},
		"what collided below frees, and reserves nothing": {
			{rackSum(1, 5).flags(wire.Resend | wire.Collision), "11/10 rce =20", ""},
			{rackSum(2, 5), "", "2: 1.5 100 n1"},
			{rackSum(1, 5).flags(wire.Resend | wire.Collision), "11/10 rce =20", ""},
		},
		"a collision keeps the level": {
			{rackSum(0, 5), "", "2: 1.5 1 n1"},
			{rackSum(1, 6), "11/10 rce =20", "2: 1.5 1 n1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			newBench(t, second(1)).run(steps)
		})
	}
}

// Not every packet that passes is for this switch, or is what it says.
func TestJudged(t *testing.T) {
	whole := grad(0, 5)
	for name, c := range map[string]struct {
		in   pkt
		out  string
		name string // of the counter that counts it
	}{
		"by the port of another worker":          {whole.by(1), "1/10 =1", "atp-not-here-passed"},
		"by a port that leads to nobody":         {whole.by(elsewhere), "1/10 =1", "atp-not-here-passed"},
		"a bit of nobody":                        {whole.bitmaps(8, 2), "1000/10 =1", "atp-not-here-passed"},
		"two bits":                               {whole.bitmaps(3, 2), "11/10 =1", "atp-not-here-passed"},
		"a sum of a rack on its way up":          {whole.flags(wire.EdgeSwitch), "1/10 e =1", "atp-not-here-passed"},
		"to another host":                        {whole.to(serverAddr(77)), "1/10 =1", "atp-not-here-passed"},
		"to another job's server":                {whole.to(serverAddr(2)), "1/10 =1", "atp-not-here-passed"},
		"not here, and marked":                   {whole.by(1).marked(), "1/10 m =1", "atp-not-here-passed"},
		"fan-in too small":                       {whole.fans(2, 2), "1/10 re =1", "atp-fan-in-of-another-job"},
		"fan-in too large":                       {whole.fans(4, 2), "1/10 re =1", "atp-fan-in-of-another-job"},
		"fan-in too small, sent again":           {whole.fans(2, 2).resend(), "1/10 re =1", "atp-fan-in-of-another-job"},
		"index beyond the table":                 {whole.at(8), "1/10 re =1", "atp-index-beyond-the-table"},
		"index far beyond the table":             {whole.at(65535).marked(), "1/10 rme =1", "atp-index-beyond-the-table"},
		"job that is not here":                   {whole.job(3), "1/10 =1", "atp-unknown-job-passed"},
		"job that is not here, marked":           {whole.job(3).marked(), "1/10 CE =1", "atp-unknown-job-passed"},
		"parameters by a worker's port":          {param(5).by(0), "", "atp-forged-parameters"},
		"parameters of another host":             {param(5).from(workerAddr(0)), "", "atp-forged-parameters"},
		"parameters of another job's server":     {param(5).from(serverAddr(2)), "", "atp-forged-parameters"},
		"request for floats by a worker's port":  {param(5).by(0).flags(wire.Overflow), "", "atp-forged-parameters"},
		"parameters with an index beyond":        {param(5).at(8), "0/0 a =99", "atp-parameters"},
		"parameters on their way to a server":    {param(5).flags(wire.EdgeSwitch), "0/0 ea =99", "atp-reserved-flags-passed"},
		"number 0":                               {grad(0, 0), "1/10 =1", "atp-sequence-zero"},
		"of nobody":                              {whole.bitmaps(0, 2), "0/10 =1", "atp-empty-bitmap"},
		"of no rack":                             {whole.bitmaps(1, 0), "1/0 =1", "atp-empty-bitmap"},
		"parameters of a job that is not here":   {param(5).paramOf(3), "0/0 a =99", "atp-unknown-job-passed"},
		"parameters by another port, job unkown": {param(5).paramOf(3).by(0), "0/0 a =99", "atp-unknown-job-passed"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, first(1, 3), first(2, 2))
			b.send(grad(0, 4).at(3), grad(0, 4).at(4).job(2).fans(2, 2)) // two aggregators in use that nothing may touch
			before, n := b.state(), b.count(c.name)
			if got := b.send(c.in); got != c.out {
				t.Errorf("%q goes on, want %q", got, c.out)
			}
			if got := b.state(); got != before {
				t.Errorf("aggregators %q, want %q", got, before)
			}
			if got := b.count(c.name); got != n+1 {
				t.Errorf("%s: %d, want %d", c.name, got, n+1)
			}
		})
	}
}

// A packet on its way to its own edge switch passes one that is the second for its server: its bits
// would meet those of racks. And likewise a rack's sum at a first edge switch.
func TestBitmapsDoNotMeet(t *testing.T) {
	b := newBench(t, second(1))
	b.run([]step{
		{rackSum(0, 5), "", "2: 1.5 1 n1"},
		{grad(1, 5).fans(1, 3).by(5), "10/10 =2", "2: 1.5 1 n1"},
		{grad(0, 5).fans(1, 3).by(0), "1/10 =1", "2: 1.5 1 n1"},
	})
	b.wantCounts(map[atp.Counter]uint64{atp.NotHere: 2})
}

// Without aggregators everything collides, but no other index would help.
func TestNoAggregators(t *testing.T) {
	b := newBenchOf(t, atp.Config{Jobs: []atp.Job{first(1, 3)}})
	b.run([]step{
		{grad(0, 5).at(0), "1/10 re =1", ""},
		{grad(1, 5), "10/10 re =2", ""},
		{grad(1, 5).resend(), "10/10 re =2", ""},
		{param(5), "0/0 a =99", ""},
	})
	b.wantCounts(map[atp.Counter]uint64{atp.Collisions: 3, atp.Parameters: 1, atp.BadIndex: 0})
}

// An aggregator is abandoned from an age on, which is looked at when a parameter packet with its
// index comes, of whatever job (§3.7).
func TestAge(t *testing.T) {
	const age = 3 * units.Millisecond
	b := newBenchOf(t, atp.Config{Aggregators: 8, Age: age, Jobs: []atp.Job{first(1, 3), first(2, 2)}})
	other := param(77).paramOf(2)
	at := func(after units.Duration, in pkt, want string) {
		t.Helper()
		b.now = b.now.Add(after)
		b.send(in)
		if got := b.state(); got != want {
			t.Fatalf("at %v: aggregators %q, want %q", b.now, got, want)
		}
	}
	at(units.Millisecond, grad(0, 5), "2: 1.5 1 n1")
	at(age, other, "2: 1.5 1 n1") // not older than the age
	at(0, grad(1, 5), "2: 1.5 11 n2")
	at(age, other, "2: 1.5 11 n2") // what is added makes it young
	at(0, grad(1, 5), "2: 1.5 11 n2")
	at(age, other, "2: 1.5 11 n2") // and so does a duplicate
	at(0, grad(0, 6), "2: 1.5 11 n2")
	at(1, other.at(3), "2: 1.5 11 n2") // another's packet does not, nor does another index free
	at(0, other.flags(wire.Overflow), "2: 1.5 11 n2")
	at(0, other.by(0), "2: 1.5 11 n2") // nor what is forged
	at(0, other, "")
	b.wantCounts(map[atp.Counter]uint64{atp.FreedByAge: 1, atp.FreedByParameter: 0, atp.Forged: 1})
	if got := b.count("atp/1/" + atp.FreedByAge.String()); got != 1 {
		t.Errorf("job 1 lost %d aggregators, want 1", got)
	}
}
