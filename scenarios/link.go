package scenarios

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// LinkAt changes the links of a topology at a node, or one direction of them.
type LinkAt struct {
	From, To string  // patterns of nodes, as h* or leaf0; empty: any
	Both     bool    // From is a node, and both directions of its links are meant
	given    rawLink // before scaling
	at       string  // where it stands
}

// link reads a link; what it leaves out is as in base.
func (r *resolver) link(path string, f rawLink, base topo.LinkSpec) topo.LinkSpec {
	s := r.changed(path, f, base)
	if s.Jitter > s.Delay && f.Jitter+f.Delay != "" {
		r.wrong(path+".jitter", fmt.Errorf("%v exceeds the delay of %v: frames would arrive before they were sent", s.Jitter, s.Delay))
	}
	return s
}

// changed is link without a look at how the values fit together.
func (r *resolver) changed(path string, f rawLink, base topo.LinkSpec) topo.LinkSpec {
	s := base
	var err error
	if f.Rate != "" {
		s.Rate, err = units.ParseRate(f.Rate)
		r.wrong(path+".rate", err)
	}
	if f.Delay != "" {
		s.Delay = r.duration(path+".delay", f.Delay)
	}
	if f.Jitter != "" {
		s.Jitter = r.duration(path+".jitter", f.Jitter)
	}
	if f.Queue != "" {
		s.Queue = r.bytes(path+".queue", f.Queue)
	}
	if f.ECN != nil {
		s.Marking = r.marking(path+".ecn", *f.ECN)
	}
	if f.LossEvery != nil {
		s.LossEvery = r.between(path+".loss-every", *f.LossEvery, 0, 1<<30)
	}
	r.losses(path, f, &s)
	return s
}

// losses reads the losses of a link: single ones, or in bursts.
func (r *resolver) losses(path string, f rawLink, s *topo.LinkSpec) {
	if f.Loss != "" {
		s.Loss, s.Bursts = r.fraction(path+".loss", f.Loss), topo.Bursts{}
	}
	switch {
	case f.Burst != "" && f.Bursts != nil:
		r.wrong(path+".burst", errors.New("gilbert-elliott says how long bursts are: leave one of the two out"))
	case f.Burst != "" && f.Burst != "none":
		length, err := strconv.ParseFloat(f.Burst, 64)
		if err == nil && s.Loss > 0 {
			s.Bursts, err = topo.MeanBursts(s.Loss, length)
			s.Loss = 0
		}
		if err != nil {
			r.wrong(path+".burst", fmt.Errorf("%s: write the mean length of a burst in frames, 1 or more, as in 8, beside a loss, or none: %w", f.Burst, err))
		}
	case f.Bursts != nil:
		s.Bursts = topo.Bursts{
			Enter: r.fraction(path+".gilbert-elliott.enter", f.Bursts.Enter), Leave: r.fraction(path+".gilbert-elliott.leave", f.Bursts.Leave),
			Bad: r.fraction(path+".gilbert-elliott.bad", f.Bursts.Bad),
		}
		if f.Bursts.Good != "" {
			s.Bursts.Good = r.fraction(path+".gilbert-elliott.good", f.Bursts.Good)
		}
		r.wrong(path+".gilbert-elliott", s.Bursts.Validate())
	}
}

// marking reads how a link marks congestion.
func (r *resolver) marking(path string, f rawECN) (m topo.Marking) {
	switch {
	case f.Threshold != "" && f != rawECN{Threshold: f.Threshold}:
		r.wrong(path+".threshold", errors.New("a threshold stands alone: give min, max and p for a slope"))
	case f.Threshold != "":
		m.Max = r.bytes(path+".threshold", f.Threshold)
		m.Min = m.Max
	case f.Min == "" || f.Max == "" || f.P == "":
		r.wrong(path, errors.New("give a threshold, as in {threshold: 100KB}, or a slope, as in {min: 50KB, max: 150KB, p: 10%}"))
	default:
		m = topo.Marking{Min: r.bytes(path+".min", f.Min), Max: r.bytes(path+".max", f.Max), P: r.fraction(path+".p", f.P)}
		if f.Weight != "" {
			m.Weight = r.fraction(path+".weight", f.Weight)
		}
		if m.Threshold() {
			r.wrong(path+".max", errors.New("min and max are the same: write a threshold"))
			return topo.Marking{}
		}
	}
	r.wrong(path, m.Validate())
	return m
}

// linksAt reads changes of links.
func (r *resolver) linksAt(path string, list []rawLinkAt) (out []LinkAt) {
	for i, f := range list {
		out = append(out, r.linkAt(fmt.Sprintf("%s[%d]", path, i), f))
	}
	return out
}

// linkAt reads one.
func (r *resolver) linkAt(at string, f rawLinkAt) LinkAt {
	l := LinkAt{From: f.From, To: f.To, given: f.Link, at: at}
	switch {
	case f.At != "" && f.From+f.To != "" || f.At+f.From+f.To == "":
		r.wrong(at, errors.New("which links? Write at: h0 for both directions of its links, or from: and to: for one"))
	case f.At != "":
		l.From, l.Both = f.At, true
	}
	r.changed(at, l.given, topo.LinkSpec{}) // what is wrong by itself is said once
	return l
}

func (r *resolver) bytes(path, text string) units.Bytes {
	b, err := units.ParseBytes(text)
	r.wrong(path, err)
	return b
}

func (r *resolver) fraction(path, text string) float64 {
	v, err := fraction(text)
	r.wrong(path, err)
	return v
}

// fraction reads a probability: "16%" or "0.16". A bare 1 may have been meant as 1%.
func fraction(text string) (float64, error) {
	num, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(num, 64)
	if percent {
		v /= 100
	}
	switch {
	case err != nil || !(v >= 0 && v <= 1):
		return 0, fmt.Errorf("probability %q: write 0%% to 100%%, or 0 to 1", text)
	case v == 1 && !percent:
		return 0, fmt.Errorf("probability %s is 100%%: write 100%% if that is meant, else 1%%", text)
	}
	return v, nil
}
