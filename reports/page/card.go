package page

import (
	"fmt"
	"html/template"
	"strings"
)

// Card is one of many things of a kind, with a frame and an address of its own. [Search] finds it by its words
// and tags.
type Card struct {
	ID     string // target of links, as those of sections, where "." and "_" may also stand
	Title  string // a name, which may be long and without spaces
	Level  Level
	Badge  string // what it came to, in a word or two
	Tags   []Tag
	Text   string // a sentence
	Facts  []Fact
	Gauge  *Gauge // beside the facts; nil: none
	Blocks []Block
}

// Tag is a word about a card, shown beside its title.
type Tag struct {
	Group  string // of [Choices]; "" is in none
	Value  string
	Before string // what is shown before it; "" for nothing
	Hidden bool   // only for the search
}

func (t Tag) key() string { return t.Group + ":" + t.Value }

func (b Card) html() (string, any, error) {
	var keys []string
	for _, t := range b.Tags {
		if t.Group != "" {
			keys = append(keys, t.key())
		}
	}
	return "card", struct {
		Card
		Keys string
	}{b, strings.Join(keys, "\n")}, nil
}

func (b Card) markdown(m *markdown) {
	words := []string{escape(strings.TrimSpace(b.Level.Sign() + " " + b.Badge))}
	for _, t := range b.Tags {
		if !t.Hidden {
			words = append(words, escape(t.Before+t.Value))
		}
	}
	m.line("**`%s`** %s", strings.ReplaceAll(b.Title, "`", "'"), strings.Join(words, " · "))
	if b.Text != "" {
		m.line("%s", escape(b.Text))
	}
	if len(b.Facts) > 0 {
		m.line("%s", factLines(b.Facts))
	}
	m.blocks(b.Blocks)
}

// Search lets the reader of the HTML choose among the cards of a page. It needs script, and is not to be seen without
// and on paper: all cards are there then.
type Search struct {
	Label  string // what to type
	Hint   string // in the empty field
	Groups []Choices
}

// Choices are values of which the reader may choose some; none is all of them.
type Choices struct {
	Name   string // as readers see it
	Group  string // of tags
	Values []Choice
}

// Choice is a value, and how many cards have it.
type Choice struct {
	Value string
	Count int
}

// Gauge is a number on a line: between what it should be, what is stated, and what came out. What is nil is not
// drawn, and what should be goes to the end of the line then. In Markdown there is none.
type Gauge struct {
	Label             string // for readers that do not see
	Low, High         *float64
	Stated, Measured  *float64
	HalfWidth         *float64 // of the interval of what came out
	ExpectFrom, Until *float64 // a span without a middle, in place of what came out
}

func (Gauge) markdown(*markdown) {}

func (b Gauge) html() (string, any, error) {
	g := gauge{Label: b.Label, scale: b.scale()}
	if b.Low != nil || b.High != nil {
		g.Band = g.span(b.Low, b.High)
	}
	if b.Measured != nil && b.HalfWidth != nil {
		low, high := *b.Measured-*b.HalfWidth, *b.Measured+*b.HalfWidth
		g.Interval = g.span(&low, &high)
	}
	if b.ExpectFrom != nil && b.Until != nil {
		g.Expected = g.span(b.ExpectFrom, b.Until)
	}
	g.Stated, g.Measured = g.at(b.Stated), g.at(b.Measured)
	return "gauge", g, nil
}

// gauge is a gauge on its way to HTML; places are from 0 to [gaugeWidth].
type gauge struct {
	scale
	Label                    string
	Band, Interval, Expected *span
	Stated, Measured         *string
}

type span struct{ From, Width string }

// gaugeWidth is that of the drawing, in pixels.
const gaugeWidth = 220

// scale is what stands at both ends of a gauge.
type scale struct{ low, high float64 }

// scale has room for everything, and some more.
func (b Gauge) scale() scale {
	var s scale
	first := true
	add := func(x *float64, by float64) {
		if x == nil {
			return
		}
		if v := *x + by; first {
			s, first = scale{v, v}, false
		} else {
			s = scale{min(s.low, v), max(s.high, v)}
		}
	}
	for _, x := range []*float64{b.Low, b.High, b.Stated, b.Measured, b.ExpectFrom, b.Until} {
		add(x, 0)
	}
	if b.HalfWidth != nil {
		add(b.Measured, *b.HalfWidth)
		add(b.Measured, -*b.HalfWidth)
	}
	room := 0.12 * (s.high - s.low)
	if room <= 0 {
		room = 1
	}
	return scale{s.low - room, s.high + room}
}

func (s scale) place(x float64) float64 {
	return min(gaugeWidth, max(0, gaugeWidth*(x-s.low)/(s.high-s.low)))
}

func (s scale) at(x *float64) *string {
	if x == nil {
		return nil
	}
	out := pixels(s.place(*x))
	return &out
}

// span is between two numbers, or from or to an end of the line. It can always be seen.
func (s scale) span(low, high *float64) *span {
	from, to := 0.0, float64(gaugeWidth)
	if low != nil {
		from = s.place(*low)
	}
	if high != nil {
		to = s.place(*high)
	}
	const least = 3
	if to-from < least {
		from, to = (from+to-least)/2, (from+to+least)/2
	}
	return &span{pixels(from), pixels(to - from)}
}

func pixels(x float64) string { return fmt.Sprintf("%.1f", x) }

// script is what makes a search work: as small as it can be, and nothing without it is missing.
const script template.JS = `
(() => {
  const box = document.querySelector('.search'), field = box.querySelector('[type=search]'), count = box.querySelector('output');
  const ticks = [...box.querySelectorAll('[type=checkbox]')], open = box.querySelector('[name=open]'), clear = box.querySelector('[name=clear]');
  const cards = [...document.querySelectorAll('.card')].map(e => ({ e, words: e.textContent.toLowerCase(), tags: e.dataset.tags.split('\n') }));
  const parts = [...document.querySelectorAll('section')].filter(s => s.querySelector('.card'));
  const find = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean), groups = {};
    ticks.filter(t => t.checked).forEach(t => (groups[t.name] = groups[t.name] || []).push(t.name + ':' + t.value));
    const wanted = c => words.every(w => c.words.includes(w)) && Object.values(groups).every(g => g.some(t => c.tags.includes(t)));
    let n = 0;
    cards.forEach(c => { const keep = wanted(c); c.e.hidden = !keep; n += keep; });
    parts.forEach(s => { s.hidden = !s.querySelector('.card:not([hidden])'); });
    document.body.classList.toggle('found', n < cards.length);
    count.value = n + ' of ' + cards.length;
  };
  box.hidden = false;
  field.value = new URLSearchParams(location.search).get('q') || field.value;
  box.addEventListener('input', find);
  clear.addEventListener('click', () => { field.value = ''; ticks.forEach(t => { t.checked = false; }); find(); field.focus(); });
  open.addEventListener('click', () => document.querySelectorAll('.card:not([hidden]) details').forEach(d => { d.open = true; }));
  find();
})();
`
