package lab

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/linktext"
)

// graphs returns a rack whose links have 1 Gbit/s, as it was at first, and with another loss at h0.
func graphs(t *testing.T) (first, now *topo.Graph) {
	t.Helper()
	first, err := gen.ByName("rack", gen.Params{Hosts: 3, Link: topo.LinkSpec{Rate: units.GbitPerSecond}})
	if err != nil {
		t.Fatal(err)
	}
	now = clone(first)
	for i := range now.Links {
		if l := &now.Links[i]; l.A.Node == "h0" || l.B.Node == "h0" {
			l.AtoB.Loss, l.BtoA.Loss = 0.5, 0.5
		}
	}
	return first, now
}

// A change is over what holds, over what the file says, or over a perfect wire; in both directions or one.
func TestDirections(t *testing.T) {
	first, now := graphs(t)
	for name, c := range map[string]struct {
		change LinkChange
		want   string // of each direction, in the order of links
	}{
		"merge":     {LinkChange{Ends: Ends{At: "h0"}, Link: linktext.Link{Delay: "1ms"}}, `{rate: 1Gbit/s, delay: 1ms, loss: "0.5"} {rate: 1Gbit/s, delay: 1ms, loss: "0.5"}`},
		"only":      {LinkChange{Ends: Ends{At: "h0"}, Link: linktext.Link{Delay: "1ms"}, Only: true}, `{delay: 1ms} {delay: 1ms}`},
		"one way":   {LinkChange{Ends: Ends{From: "tor", To: "h0"}, Link: linktext.Link{Loss: "0%"}}, `{rate: 1Gbit/s}`},
		"reset":     {LinkChange{Ends: Ends{At: "*"}, Reset: true}, `{rate: 1Gbit/s} {rate: 1Gbit/s}`},
		"so it was": {LinkChange{Ends: Ends{At: "h1"}, Reset: true}, ``},
		"pair":      {LinkChange{Ends: Ends{At: "tor", Pair: "h2"}, Link: linktext.Link{Rate: "5Mbit/s"}}, `{rate: 5Mbit/s} {rate: 5Mbit/s}`},
	} {
		list, err := c.change.directions(now, first)
		var got []string
		for _, d := range list {
			got = append(got, Text(d.spec))
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, %s; want %s", name, err, strings.Join(got, " "), c.want)
		}
	}
	for want, c := range map[string]LinkChange{
		"no link of topology rack is at h9": {Ends: Ends{At: "h9"}},
		"no link joins h0 and h1":           {Ends: Ends{At: "h0", Pair: "h1"}},
		"loss: probability":                 {Ends: Ends{At: "h0"}, Link: linktext.Link{Loss: "7"}},
	} {
		if _, err := c.directions(now, first); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
