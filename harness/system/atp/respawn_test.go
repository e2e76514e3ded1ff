package atp

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/program/atp/pipeline"
	"github.com/inalab/inalab/switchd/program/atp/reference"
)

// Two racks of machines in memory: workers and a server behind tor1, workers behind tor0. Workers are started
// again in either. Numbers are few, so that they come round again and again.
const (
	respawnWorkers = 3
	respawnBlocks  = 60 // of a generation
	respawnGens    = 5
	respawnBits    = 7
	respawnSpan    = 8
	respawnTable   = 6
	respawnAge     = units.Millisecond
	serverAt       = sansio.Port(10)
	uplinkAt       = sansio.Port(11)
)

func workerIP(w, rack int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(rack), 0, byte(w + 1)})
}

var serverIP = netip.AddrFrom4([4]byte{10, 1, 1, 1})

func groupIP(id uint8) netip.Addr { return netip.AddrFrom4([4]byte{239, 255, 0, id}) }

// where is the racks of workers in a set-up.
type where struct {
	id    uint8
	racks []int
	deep  bool // a switch between the racks aggregates, too
}

func (u *where) ringsOf() (out []server.Rack) {
	rack0 := server.Rack{}
	for w, r := range u.racks {
		if r == 0 {
			rack0.Workers = append(rack0.Workers, uint8(w))
		}
	}
	if len(rack0.Workers) == 0 { // one level, at tor1
		return []server.Rack{{Workers: []uint8{0, 1, 2}}}
	}
	out = append(out, rack0)
	for w, r := range u.racks {
		if r == 1 {
			out = append(out, server.Rack{Bit: uint8(len(out)), Direct: true, Workers: []uint8{uint8(w)}})
		}
	}
	return out
}

// toServer is the directions of a worker's packets.
func (u *where) toServer(w int) host.Server {
	out := host.Server{Flow: inet.Flow{Src: workerIP(w, u.racks[w]), Dst: serverIP, SrcPort: u.port(), DstPort: u.port()}}
	if u.deep {
		u.toServerDeep(w, &out)
		return out
	}
	rings := u.ringsOf()
	for _, r := range rings {
		if k := slices.Index(r.Workers, uint8(w)); k >= 0 {
			out.Bitmaps, out.FanIns, out.Direct = [2]uint32{1 << k, 1 << r.Bit}, [2]uint8{uint8(len(r.Workers)), uint8(len(rings))}, r.Direct
		}
	}
	return out
}

// document is what a switch is in a set-up.
func (u *where) document(rack int) program.Job {
	s := program.Server{Addr: serverIP, Ports: []sansio.Port{[]sansio.Port{uplinkAt, serverAt, uplinkAt}[rack]}}
	if u.deep {
		u.addDeep(rack, &s)
		return program.Job{ID: u.id, Levels: deepLevels, Servers: []program.Server{s}}
	}
	rings := u.ringsOf()
	for _, r := range rings {
		from := program.Source{Bit: r.Bit, Ports: []sansio.Port{uplinkAt}, Name: fmt.Sprint("bit", r.Bit), Workers: r.Workers}
		if r.Direct {
			from.Ports[0] = sansio.Port(r.Workers[0])
		}
		if rack == 1 && len(u.ringsOf()) > 0 && (r.Direct || slices.Contains(u.racks, 0)) {
			s.Levels[1].Sources = append(s.Levels[1].Sources, from)
			continue
		}
		for bit, w := range r.Workers {
			if u.racks[w] == rack {
				s.Levels[0].Sources = append(s.Levels[0].Sources, program.Source{Bit: uint8(bit), Ports: []sansio.Port{sansio.Port(w)}, Name: fmt.Sprint("w", w), Workers: []uint8{w}})
			}
		}
	}
	return program.Job{ID: u.id, Servers: []program.Server{s}}
}

// tor is a switch with the program, and forwarding.
type tor struct {
	dataplane.Engine
	rack int
	ups  []where
}

func (s *tor) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		var own sansio.Effects
		at := in[i].Port
		s.Engine.Handle(now, []sansio.Arrival{{Port: dataplane.Inbound(at), Train: in[i].Train}}, &own)
		for _, send := range own.Sends {
			if to := s.route(at, &send.Train); len(to) > 0 {
				body := eff.Body(len(send.Train.Body))
				copy(body, send.Train.Body)
				eff.Sends = append(eff.Sends, sansio.Send{To: to, Train: sansio.Train{Header: slices.Clone(send.Train.Header), Body: body, Seg: send.Train.Seg, Unstored: send.Train.Unstored, Checksum: send.Train.Checksum}})
			}
		}
	}
}

// route returns where a frame goes that came by a port.
func (s *tor) route(at sansio.Port, t *sansio.Train) (to []sansio.Port) {
	ip, _, _ := t.UDP()
	switch {
	case ip.Dst() == serverIP && s.rack == 1:
		return []sansio.Port{serverAt}
	case ip.Dst() == serverIP:
		return []sansio.Port{uplinkAt}
	case s.rack == between:
		return []sansio.Port{downlinkAt}
	}
	for i := range s.ups {
		if groupIP(s.ups[i].id) != ip.Dst() {
			continue
		}
		for w, r := range s.ups[i].racks {
			if r == s.rack {
				to = append(to, sansio.Port(w))
			}
		}
		if s.rack == 1 {
			to = append(to, uplinkAt)
		}
	}
	return to
}

// seat is where a worker is in a rack: somebody, or nobody.
type seat struct{ *life }

func (s *seat) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	if s.life != nil {
		s.core.Handle(now, in, eff)
		s.progress(now, eff)
	}
}

func (s *seat) Expire(now units.Time, eff *sansio.Effects) {
	if s.life != nil {
		s.core.Expire(now, eff)
		s.progress(now, eff)
	}
}

func (s *seat) NextDeadline() units.Time {
	switch {
	case s.life == nil:
		return units.Never
	case !s.begun && s.gen < respawnGens:
		return s.since
	}
	return s.core.NextDeadline()
}

// life is one of a worker: from a generation on.
type life struct {
	core    *host.Core
	worker  int
	gen     int
	since   units.Time
	begun   bool
	again   bool // its first generation is not whole
	results [][]float32
}

func gradientOf(worker, gen int) []float32 {
	out := make([]float32, respawnBlocks*wire.Values)
	for i := range out {
		out[i] = float32((worker+1)*1000 + gen*100 + i%89)
	}
	return out
}

func (l *life) progress(now units.Time, eff *sansio.Effects) {
	for l.gen < respawnGens {
		if !l.begun {
			l.begun = true
			l.core.Begin(now, l.gen, gradientOf(l.worker, l.gen), eff)
		}
		if !l.core.Complete(l.gen) {
			return
		}
		_, mean := l.core.Finish(l.gen)
		var out []float32
		if !l.again {
			out = make([]float32, respawnBlocks*wire.Values)
			mean(out)
		}
		l.results = append(l.results, out)
		l.gen, l.begun, l.again = l.gen+1, false, false
	}
}

// stage is all of it.
type stage struct {
	t     *testing.T
	r     *rand.Rand
	net   sansiotest.Network
	ups   []where
	up    int
	seats [][2]*seat // by worker and rack
	lives []*life
	tors  []*tor // by rack; of three levels, then that between them
	ps    *server.Server
}

// config describes a worker of a set-up.
func (s *stage) config(w, setup int) host.Config {
	c := host.Config{
		Node: fmt.Sprint("w", w), Worker: w, Workers: respawnWorkers, Job: s.ups[0].id, Tensor: respawnBlocks * wire.Values, Setup: setup,
		Servers: []host.Server{s.ups[0].toServer(w)}, Aggregators: respawnTable, Window: 4, Span: respawnSpan, SequenceBits: respawnBits,
		Age: respawnAge, Lifetime: units.Millisecond, Timeout: 200 * units.Microsecond, Scaling: gradient.Fixed{Factor: 1}, Cut: 20 * wire.Values, Resend: []host.Resend{host.Expected, host.Gaps, host.Passed}[len(s.ups)%3], Alone: len(s.ups)%2 == 0,
	}
	for i := range s.ups[1:] {
		c.Setups = append(c.Setups, host.Setup{Job: s.ups[i+1].id, Servers: []host.Server{s.ups[i+1].toServer(w)}})
	}
	return c
}

// newStage draws where workers are started again.
func newStage(t *testing.T, seed uint64, starts int, chip, deep bool) *stage {
	s := &stage{t: t, r: rand.New(rand.NewPCG(seed, 2))}
	racks := []int{0, s.r.IntN(2), 1}
	order := []int{}
	for k := range starts + 1 {
		s.ups = append(s.ups, where{uint8(1 + 32*k), slices.Clone(racks), deep})
		w := s.r.IntN(respawnWorkers)
		racks[w] = s.r.IntN(2)
		order = append(order, w)
	}
	s.addSwitches(chip)
	s.addServer()
	for w := range respawnWorkers {
		s.seats = append(s.seats, [2]*seat{{}, {}})
		for rack := range 2 {
			s.net.Connect(s.net.Add(s.seats[w][rack]), 0, sansiotest.NodeID(rack), sansio.Port(w), s.wire(), s.wire())
		}
		s.lives = append(s.lives, nil)
		s.live(w, 0, 0)
	}
	s.net.Add(&director{stage: s, order: order[:starts], at: units.Time(s.r.IntN(2000)) * units.Time(units.Microsecond)})
	return s
}

func (s *stage) addSwitches(chip bool) {
	racks := 2
	if s.ups[0].deep {
		racks++
	}
	for rack := range racks {
		cfg := program.Config{Node: fmt.Sprint("tor", rack), Aggregators: respawnTable, Age: respawnAge}
		for i := range s.ups {
			cfg.Jobs = append(cfg.Jobs, s.ups[i].document(rack))
		}
		var e dataplane.Engine
		var err error
		if chip {
			e, err = pipeline.New(cfg, pipeline.Options{Ports: 12})
		} else {
			e, err = reference.New(cfg)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		s.tors = append(s.tors, &tor{Engine: e, rack: rack, ups: s.ups})
		s.net.Add(s.tors[rack])
	}
	if racks == 2 {
		s.net.Connect(0, uplinkAt, 1, uplinkAt, s.wire(), s.wire())
		return
	}
	s.net.Connect(0, uplinkAt, between, downlinkAt, s.wire(), s.wire())
	s.net.Connect(between, uplinkAt, 1, uplinkAt, s.wire(), s.wire())
}

func (s *stage) addServer() {
	c := server.Config{
		Node: "ps", Workers: respawnWorkers, Job: s.ups[0].id, Flow: inet.Flow{Src: serverIP, Dst: groupIP(s.ups[0].id), DstMAC: inet.MulticastMAC(groupIP(s.ups[0].id)), SrcPort: s.ups[0].port(), DstPort: s.ups[0].port()},
		Streams: wire.Split(respawnBits, 1), Span: respawnSpan, Aggregators: respawnTable, Scaling: gradient.Fixed{Factor: 1},
	}
	c.Levels, c.Racks, c.Paths = s.ups[0].known()
	for _, u := range s.ups[1:] {
		_, racks, paths := u.known()
		c.Setups = append(c.Setups, server.Setup{Job: u.id, Group: groupIP(u.id), Racks: racks, Paths: paths})
	}
	var err error
	if s.ps, err = server.New(c); err != nil {
		s.t.Fatal(err)
	}
	s.net.Connect(s.net.Add(s.ps), 0, 1, serverAt, s.wire(), s.wire())
}

// wire loses, copies and delays.
func (s *stage) wire() *sansiotest.Wire {
	return &sansiotest.Wire{
		Delay: 2 * units.Microsecond,
		Drop:  func(sansio.Train) bool { return s.r.IntN(60) == 0 },
		Copies: func(sansio.Train) []units.Duration {
			switch s.r.IntN(20) {
			case 0:
				return []units.Duration{0, units.Duration(s.r.IntN(200)) * units.Microsecond}
			case 1:
				return []units.Duration{units.Duration(s.r.IntN(30)) * units.Microsecond}
			}
			return []units.Duration{0}
		},
	}
}

// live has a worker come up for a set-up.
func (s *stage) live(w, setup int, now units.Time) *seat {
	core, err := host.New(s.config(w, setup))
	if err != nil {
		s.t.Fatal(err)
	}
	l := &life{core: core, worker: w, since: now}
	if setup > 0 {
		for k, other := range s.lives {
			if k != w && other != nil {
				l.gen = max(l.gen, other.gen)
			}
		}
		if l.gen == respawnGens {
			return nil // the others are done
		}
		l.again = true
		l.results = make([][]float32, l.gen)
		core.Resume(l.gen)
	}
	s.lives[w] = l
	at := s.seats[w][s.ups[setup].racks[w]]
	at.life = l
	return at
}

// director ends and starts workers, and has switches forget.
type director struct {
	*stage
	order []int
	at    units.Time
	gone  bool
}

func (d *director) Handle(units.Time, []sansio.Arrival, *sansio.Effects) {}

func (d *director) NextDeadline() units.Time {
	if len(d.order) == 0 {
		return units.Never
	}
	return d.at
}

func (d *director) Expire(now units.Time, eff *sansio.Effects) {
	w := d.order[0]
	if !d.gone {
		for rack := range 2 {
			d.seats[w][rack].life = nil
		}
		d.lives[w] = nil
		d.gone, d.at = true, now.Add(units.Duration(1+d.r.IntN(1500))*units.Microsecond)
		return
	}
	d.order, d.gone = d.order[1:], false
	d.up++
	d.live(w, d.up, now)
	if d.r.IntN(2) == 0 {
		d.tors[d.r.IntN(len(d.tors))].Engine.(dataplane.Forgetful).Forget(now)
	}
	d.at = now.Add(units.Duration(1+d.r.IntN(6000)) * units.Microsecond)
}

// A worker's deadline is looked at after a call alone; so a start is one at a time that was set before. Here the
// network is run piece by piece.
func (s *stage) run() {
	for at := units.Time(0); at < units.Time(3*units.Second); at = at.Add(100 * units.Microsecond) {
		if pending, err := s.net.Run(at); err != nil {
			s.t.Fatal(err)
		} else if !pending {
			break
		}
		if !slices.ContainsFunc(s.lives, func(l *life) bool { return l == nil || l.gen < respawnGens }) {
			return
		}
	}
}

// Numbers of 7 bits come round again and again, ids change with each set-up, links lose, copy and delay, switches
// forget, and workers end and start at any time in either rack: every worker is given every sum, with each
// contribution in it once. Switches run the reference program, or that of the emulated Tofino.
func TestNumbersComeRoundWhileWorkersComeAndGo(t *testing.T) {
	comeAndGo(t, 8, func(seed uint64) *stage { return newStage(t, seed, 1+int(seed%4), seed == 2, false) })
}

// The same, where the switch between the racks aggregates, too.
func TestNumbersComeRoundAtThreeLevels(t *testing.T) {
	var all []*stage
	comeAndGo(t, 3, func(seed uint64) *stage {
		all = append(all, newStage(t, seed, 1+int(seed), false, true))
		return all[seed]
	})
	for seed, s := range all {
		if c := s.tors[between].Engine.Counters(); sansio.CountOf(c, "atp-results") == 0 {
			t.Errorf("seed %d: no sum of the switch between the racks: %v", seed, c)
		}
	}
}

// comeAndGo runs stages, and wants all sums of all workers exact.
func comeAndGo(t *testing.T, seeds uint64, stageOf func(seed uint64) *stage) {
	t.Helper()
	wraps, taken, again := 0, uint64(0), uint64(0)
	for seed := range seeds {
		s := stageOf(seed)
		s.run()
		for w, l := range s.lives {
			if l == nil || l.gen < respawnGens {
				t.Fatalf("seed %d: worker %d is at %+v, %v", seed, w, l, s.ps.Counters())
			}
			for gen, got := range l.results {
				for i := range got {
					want := float32(0)
					for k := range respawnWorkers {
						want += gradientOf(k, gen)[i]
					}
					if got[i] != float32(float64(want)/respawnWorkers) {
						t.Fatalf("seed %d: worker %d, generation %d, element %d: %v, want %v", seed, w, gen, i, got[i], want/respawnWorkers)
					}
				}
			}
			taken += sansio.CountOf(l.core.Counters(), host.CountTaken)
		}
		wraps = max(wraps, int(sansio.CountOf(s.ps.Counters(), server.CountAnswered))/(1<<respawnBits))
		again += sansio.CountOf(s.ps.Counters(), server.CountSetups)
	}
	if wraps < 2 || taken == 0 || again == 0 {
		t.Errorf("numbers came round %d times, %d packets were finished before a worker was there, %d set-ups", wraps, taken, again)
	}
}
