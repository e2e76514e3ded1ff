package page

import "github.com/inalab/inalab/reports/render"

// Page is one document.
type Page struct {
	Title    string
	Kind     string // what it is a report of, above the title: "Run of a scenario"
	Verdict  Verdict
	Lead     []string // question and answer, sentences
	Sections []Section
	Foot     string
}

// Verdict is what the reader is told first.
type Verdict struct {
	Tone Tone
	Word string // one or two words
	Text string // a sentence
}

// Tone is how good a verdict is.
type Tone string

// The tones.
const (
	Good  Tone = "good"
	Mixed Tone = "mixed" // to be read with care
	Bad   Tone = "bad"
	Plain Tone = "plain" // neither
)

// Mark is the sign of a tone, for those who do not see colours.
func (t Tone) Mark() string {
	switch t {
	case Good:
		return "✓"
	case Mixed:
		return "!"
	case Bad:
		return "✗"
	}
	return "·"
}

// Section is a part of a page, which its contents name.
type Section struct {
	ID     string // of the link: a-z, 0-9, "." and "-"; each once
	Title  string
	Blocks []Block
}

// Block is one of the kinds below.
type Block interface{ kind() string }

// Text is a paragraph.
type Text string

// Notes are sentences, each a line of its own.
type Notes []string

// Table is a table; All shows what people see in wide tables only, too.
type Table struct {
	render.Table
	All   bool
	Tones []Tone // of rows, where they have one
}

// Figure is a drawing.
type Figure struct {
	ID      string // each once
	SVG     []byte // a whole document: an svg element, and nothing before it
	Files   []File // the same to take along
	Caption string
}

// File is a file beside the page.
type File struct{ Name, Path string }

// Facts are names with what they are.
type Facts []Fact

// Fact is a name with what it is.
type Fact struct{ Name, Text string }

// Command is what somebody may type.
type Command string

// Details are blocks that the reader opens.
type Details struct {
	Title  string
	Blocks []Block
}

// Tiles are numbers that the reader sees at a glance.
type Tiles []Tile

// Tile is a number with what it counts.
type Tile struct {
	Number, Text string
	Tone         Tone
}

func (Text) kind() string    { return "text" }
func (Notes) kind() string   { return "notes" }
func (Table) kind() string   { return "table" }
func (Figure) kind() string  { return "figure" }
func (Facts) kind() string   { return "facts" }
func (Command) kind() string { return "command" }
func (Details) kind() string { return "details" }
func (Tiles) kind() string   { return "tiles" }
