package netfigure

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// shapes are all that runs can be on.
var shapes = map[string]gen.Params{
	"rack":               {Hosts: 6},
	"mx480":              {Hosts: 6},
	"dumbbell":           {Hosts: 4},
	"multi-rack":         {Hosts: 6, Racks: 3},
	"leaf-spine":         {Hosts: 12, Leaves: 4, Spines: 3},
	"tree":               {Hosts: 8, Depth: 3, FanOut: 2},
	"chassis-spine":      {Hosts: 12, Leaves: 2, Spines: 2},
	"chassis-leaf-spine": {Hosts: 12, Leaves: 2, Spines: 2},
}

// netOf decodes a plan as topology.json has it.
func netOf(t *testing.T, shape string, p gen.Params) Net {
	t.Helper()
	g, err := gen.ByName(shape, p)
	if err != nil {
		t.Fatal(err)
	}
	made, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{shape: made})
	if err != nil {
		t.Fatal(err)
	}
	nets, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return nets[shape]
}

// someUse gives each direction of each link of a network a use, up to a half.
func someUse(n Net) Use {
	use, k := Use{}, 0
	next := func() float64 { k++; return float64(k*37%101) / 200 }
	for _, s := range n.Switches {
		for _, p := range s.Ports {
			if p.Wired {
				use[s.Name+":"+p.Name+"->"+p.Peer.String()] = next()
				use[p.Peer.String()+"->"+s.Name+":"+p.Name] = next()
			}
		}
		if c := s.Chassis; c != nil {
			use[s.Name+"/"+c.PFEs[0].Name+"->"+c.PFEs[c.Top].Name] = next()
			use[s.Name+"/"+c.PFEs[0].Name+"->"+c.PFEs[1].Name] = next()
		}
	}
	return use
}

// Every shape is drawn whole: each node by name, inside the drawing, and no box of a host or switch over another.
func TestShapes(t *testing.T) {
	for _, g := range gen.All() {
		p, known := shapes[g.Name]
		if !known {
			t.Errorf("%s is not drawn by any test", g.Name)
			continue
		}
		t.Run(g.Name, func(t *testing.T) {
			n := netOf(t, g.Name, p)
			d := Draw("id", "title", n, someUse(n), 0.5)
			checkInside(t, d)
			checkNames(t, n, d)
			checkApart(t, newLayout(&n, nil, nil))
		})
	}
}

// Every shape is drawn whole with its kinds of links, too.
func TestShapesWithLinks(t *testing.T) {
	for _, g := range gen.All() {
		t.Run(g.Name, func(t *testing.T) {
			n := netOf(t, g.Name, shapes[g.Name])
			checkInside(t, DrawLinks("id", "title", n))
			checkNames(t, n, DrawLinks("id", "title", n))
			checkApart(t, newLayout(&n, nil, newKinds(&n)))
		})
	}
}

// The legend has each kind of links once with its number, the fastest first; links that lose are dashed.
func TestKindsOfLinks(t *testing.T) {
	n := netOf(t, "leaf-spine", gen.Params{Hosts: 4, Link: topo.LinkSpec{Rate: units.GbitPerSecond, Loss: 0.01}, Uplink: topo.LinkSpec{Rate: 4 * units.GbitPerSecond, Delay: units.Microsecond}})
	n.Switches[0].Ports[0].Out.Delay = units.Millisecond // towards h0
	d := DrawLinks("id", "title", n)
	words := strings.Join(wordsOf(d), " | ")
	if want := "leaf-spine | 4Gbit/s, 1us: 4 | 1Gbit/s, loses 1.0% away from hosts, 1Gbit/s, 1ms, loses 1.0% towards them: 1 | 1Gbit/s, loses 1.0%: 3"; !strings.HasPrefix(words, want) {
		t.Errorf("got  %s\nwant %s", words, want)
	}
	dashed := 0
	for _, s := range d.Shapes {
		if line, ok := s.(figure.Stroke); ok && line.Dashed {
			dashed++
		}
	}
	if dashed != 2+4 { // in the legend, and of hosts
		t.Errorf("%d dashed lines", dashed)
	}
}

func wordsOf(d figure.Drawing) (out []string) {
	for _, s := range d.Shapes {
		if w, ok := s.(figure.Words); ok {
			out = append(out, w.Text)
		}
	}
	return out
}

func checkNames(t *testing.T, n Net, d figure.Drawing) {
	t.Helper()
	words := wordsOf(d)
	for _, h := range n.Hosts {
		if !slices.Contains(words, h.Name) {
			t.Errorf("host %s is not named", h.Name)
		}
	}
	for _, s := range n.Switches {
		if !slices.Contains(words, s.Name) {
			t.Errorf("switch %s is not named", s.Name)
		}
	}
}

// checkInside checks that nothing is cut off.
func checkInside(t *testing.T, d figure.Drawing) {
	t.Helper()
	at := func(x, y float64) {
		if x < 0 || y < 0 || x > d.Width || y > d.Height {
			t.Errorf("%g, %g is outside of %g by %g", x, y, d.Width, d.Height)
		}
	}
	for _, s := range d.Shapes {
		switch s := s.(type) {
		case figure.Box:
			at(s.At.X, s.At.Y)
			at(s.At.X+s.Width, s.At.Y+s.Height)
		case figure.Stroke:
			for _, p := range s.Path {
				at(p.X, p.Y)
			}
		case figure.Words:
			left := s.At.X - s.WidthOf()*[]float64{0, 0.5, 1}[s.Side]
			at(left, s.At.Y)
			at(left+s.WidthOf(), s.At.Y)
		}
	}
}

// checkApart checks that boxes of one kind do not overlap.
func checkApart(t *testing.T, l *layout) {
	t.Helper()
	var list []place
	for _, b := range l.boxes {
		list = append(list, b.at)
		leaves := []*leaf{&b.leaf}
		for i := range b.engines {
			leaves = append(leaves, &b.engines[i].leaf)
		}
		for _, f := range leaves {
			for _, h := range f.hosts {
				list = append(list, h.at)
			}
		}
	}
	for i, a := range list {
		for _, b := range list[i+1:] {
			if a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h {
				t.Errorf("%+v is over %+v", a, b)
			}
		}
	}
}

// The number of a link stands for the direction that it has.
func TestNumbers(t *testing.T) {
	n := netOf(t, "rack", gen.Params{Hosts: 2})
	use := Use{"h0:eth0->tor:p0": 0.123, "tor:p0->h0:eth0": 0.456, "h1:eth0->tor:p1": 0, "tor:p1->h1:eth0": 0.0004}
	words := wordsOf(Draw("id", "title", n, use, 0.5))
	at := slices.Index(words, "h0")
	if got := strings.Join(words[at:at+6], " "); got != "h0 12% 46% h1 0% <0.1%" {
		t.Errorf("got %q", got)
	}
}

// What nobody measured has no number, and a dashed line.
func TestUnknownUse(t *testing.T) {
	n := netOf(t, "rack", gen.Params{Hosts: 2})
	d := Draw("id", "title", n, nil, 1)
	dashed := 0
	for _, s := range d.Shapes {
		if line, ok := s.(figure.Stroke); ok && line.Dashed {
			dashed++
		}
	}
	if dashed != 2 {
		t.Errorf("%d dashed lines, want 2", dashed)
	}
}

// Many hosts are one box with the mean and the most of their uses.
func TestCrowd(t *testing.T) {
	n := netOf(t, "rack", gen.Params{Hosts: crowd + 2})
	use := Use{}
	for i, h := range n.Hosts {
		use[h.Name+":eth0->tor:"+n.Switches[0].Ports[i].Name] = float64(i%2) * 0.4
	}
	words := strings.Join(wordsOf(Draw("id", "title", n, use, 1)), " | ")
	for _, want := range []string{"h0 to h9: 10 hosts", "up: mean 20%, most 40%", "down: mean 0%, most 0%"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not in %s", want, words)
		}
	}
}

// Names are escaped in both forms, and the SVG is well-formed.
func TestEscaped(t *testing.T) {
	n := netOf(t, "rack", gen.Params{Hosts: 1})
	n.Switches[0].Name = `<script>"&'`
	d := Draw("id", `a "title" <b>`, n, nil, 1)
	for name, write := range map[string]func(io.Writer, figure.Drawing) error{"file": figure.WriteDrawing, "inline": figure.WriteDrawingInline} {
		var svg bytes.Buffer
		if err := write(&svg, d); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(svg.String(), "<script") || strings.Contains(svg.String(), "<b>") {
			t.Errorf("%s: a name became an element", name)
		}
		dec := xml.NewDecoder(&svg)
		for {
			_, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// A file that would lead out of bounds is refused by the name of the switch.
func TestDecodeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":{"Switches":[{"Name":"s","Chassis":{"PFEs":[],"Top":0}}]}}`:                                               "topology of a: switch s: its top PFE is number 0 of 0",
		`{"a":{"Switches":[{"Name":"s","Ports":[{"Name":"p","PFE":3,"Wired":true}],"Chassis":{"PFEs":[{}],"Top":0}}]}}`: "port p is on PFE number 3 of 1",
		`[]`: "cannot unmarshal",
	} {
		if _, err := Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
