package page

import "strings"

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
