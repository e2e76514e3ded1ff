package newreno

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// transcript writes down what is on the wire between two ends, A which opens and
// B, a millisecond apart.
type transcript struct {
	sansiotest.Network
	strings.Builder
	hosts        [2]*host
	seen         [2]int // segments with data
	lost, marked []int
}

// record runs two ends to the end. lost and marked name segments of A with data, by
// number.
func record(t *testing.T, a, b *host, lost, marked []int) string {
	t.Helper()
	r := &transcript{hosts: [2]*host{a, b}, lost: lost, marked: marked}
	wire := func(w int) *sansiotest.Wire {
		return &sansiotest.Wire{
			Delay: units.Millisecond,
			Drop:  func(f sansio.Train) bool { return r.see(w, f) },
			Mark:  func(sansio.Train) bool { return w == 0 && slices.Contains(marked, r.seen[w]) },
		}
	}
	r.Connect(r.Add(a), 0, r.Add(b), 0, wire(0), wire(1))
	if pending, err := r.Run(1000 * sec); pending || err != nil {
		t.Fatal(pending, err)
	}
	a.checkHeard(b, true)
	b.checkHeard(a, true)
	for w, h := range r.hosts {
		fmt.Fprintf(r, "%c ends in %v:", 'A'+w, h.State())
		for _, c := range h.Counters() {
			fmt.Fprintf(r, " %s %d", c.Name, c.N)
		}
		fmt.Fprintln(r)
	}
	return r.String()
}

// see takes down a frame of A or B and says whether it is lost.
func (r *transcript) see(w int, f sansio.Train) (gone bool) {
	h, peer := r.hosts[w], r.hosts[1-w]
	v := viewOf(f, uint32(h.tx.isn), uint32(peer.tx.isn))
	line := fmt.Sprintf("%9.3f ms  %c  %-15s", units.Duration(r.Now()).Milliseconds(), 'A'+w, names(v))
	if v.flags&inet.TCPAck != 0 {
		line += fmt.Sprintf(" ack %-6d", v.ack)
	}
	if v.size() > 0 {
		line += fmt.Sprintf(" cwnd %d", h.cc.cwnd)
		if h.cc.ssthresh < MaxWindow {
			line += fmt.Sprintf(" ssthresh %d", h.cc.ssthresh)
		}
		r.seen[w]++
		gone = w == 0 && slices.Contains(r.lost, r.seen[w])
		if w == 0 && v.ecn == inet.ECT0 && slices.Contains(r.marked, r.seen[w]) {
			line += " marked"
		}
	}
	if gone {
		line += " lost"
	}
	fmt.Fprintln(r, strings.TrimRight(line, " "))
	return gone
}

// names writes the flags and the bytes of a segment, from the first to behind the
// last.
func names(v view) string {
	var out []string
	for _, f := range []struct {
		bit  uint8
		name string
	}{{syn, "SYN"}, {fin, "FIN"}, {rst, "RST"}, {ece, "ECE"}, {cwr, "CWR"}} {
		if v.flags&f.bit != 0 {
			out = append(out, f.name)
		}
	}
	if v.size() > 0 {
		out = append(out, fmt.Sprintf("%d:%d", v.seq, v.seq+v.size()))
	}
	return strings.Join(out, " ")
}

func TestTranscripts(t *testing.T) {
	cfg := Config{MTU: mtu, NoTimestamps: true, ISN: ownISN}
	passive := cfg
	passive.Passive, passive.ISN = true, peerISN
	for name, c := range map[string]struct {
		a, b         piece
		lost, marked []int
	}{
		"exchange.txt":      {a: piece{content: 2500}, b: piece{at: 10 * ms, content: 300}},
		"recovery.txt":      {a: piece{content: 30 * mss}, lost: []int{12, 14, 19}}, // three of one window
		"timeout.txt":       {a: piece{content: 3 * mss}, lost: []int{2, 3, 4}},     // the tail, and its repetition
		"lost-twice.txt":    {a: piece{content: 12 * mss}, lost: []int{4, 13}},      // a segment and its fast retransmit
		"lengths-only.txt":  {a: piece{content: 100, unstored: 4 * mss}, lost: []int{2}},
		"first-segment.txt": {a: piece{content: 10 * mss}, lost: []int{1}},
		"marks.txt":         {a: piece{content: 24 * mss}, marked: []int{3, 5, 14, 24}}, // two of a window, two later ones
		"mark-and-loss.txt": {a: piece{content: 20 * mss}, marked: []int{2}, lost: []int{5}},
	} {
		cfg, passive := cfg, passive
		cfg.ECN, passive.ECN = c.marked != nil, c.marked != nil
		a, b := newHost(t, 0, cfg, c.a), newHost(t, 1, passive, c.b)
		a.closes, b.closes = true, true
		golden.Equal(t, name, record(t, a, b, c.lost, c.marked))
	}
}
