package page

import (
	"html/template"

	"github.com/inalab/inalab/reports/render"
)

// Page is a report.
type Page struct {
	Title    string // of the document
	Kind     string // over the title: what sort of report it is
	Subtitle string // below it
	Verdict  Verdict
	Lead     []Block
	Search   *Search // among the cards; nil: none
	Sections []Section
	Foot     string // the last line
	Book     bool   // a page of many: printed with its contents, each section on a new sheet
}

// Verdict is the banner of a page.
type Verdict struct {
	Level Level
	Text  string // a sentence
	Facts []Fact
}

// Level is how good a verdict or a fact is. Its sign tells it without colour.
type Level int

// The levels.
const (
	Plain Level = iota // neither good nor bad
	Good
	Doubt
	Bad
)

// Name is the class of a level.
func (l Level) Name() string { return [...]string{"plain", "good", "doubt", "bad"}[l] }

// Sign is what stands before words of a level.
func (l Level) Sign() string { return [...]string{"", "✓", "!", "✗"}[l] }

// Fact is one number or word of a verdict, and what it is of.
type Fact struct {
	Level Level
	Name  string
	Value string
}

// Section is a part of a page with a heading.
type Section struct {
	ID       string // a target of links: letters, digits and "-"; each once in a page
	Title    string
	Blocks   []Block
	Sections []Section // of the next level; these have none below
}

// Block is a part of a section. Those of this package are all there are.
type Block interface {
	// html returns the name of its template and the data for it.
	html() (name string, data any, err error)
	markdown(w *markdown)
}

// Paragraph is sentences.
type Paragraph struct {
	Text   string
	Strong bool // the answer to a question
	Small  bool // a remark
}

// Table is a table as people see it.
type Table struct {
	Table render.Table
	Group []string // keys of columns: where one of these changes, a line is drawn
	Plain bool     // without its title, which the section has
}

// Figure is a picture.
type Figure struct {
	SVG     []byte // of package figure or netfigure, inline
	Title   string // for readers that do not see, and Markdown
	File    string // Markdown: where the picture is as a file; "": nowhere
	Caption string // "" for none
	Width   int    // pixels at which its text has its size
}

// Row is figures that stand side by side where there is room.
type Row []Figure

// Bars are values that add up, side by side.
type Bars struct {
	Title string // what they are of, for readers that do not see
	Unit  string
	Whole bool     // the values are counts
	Parts []string // names, at most four; one that is 0 in all bars is left out
	Bars  []Bar

	looks []int // of the parts
}

// Bar is one of [Bars].
type Bar struct {
	Name   string
	Values []float64 // of each part, at least 0
	Note   string    // behind the sum
}

// List is names with what they are.
type List []Item

// Item is an entry of a [List].
type Item struct{ Name, Value string }

// Bullets are sentences below each other.
type Bullets struct {
	Level Level // of their signs; Plain: dots
	Text  []string
}

// Links lead to sections and cards of the page, side by side.
type Links []Link

// Link is an entry of [Links].
type Link struct{ Name, ID string }

// Details are blocks that the reader opens.
type Details struct {
	Summary string
	Open    bool
	Blocks  []Block
}

// Text is lines as they stand, such as a command or a file.
type Text struct {
	Text    string
	Command bool // to be typed into a shell
}

func (b Paragraph) html() (string, any, error) { return "paragraph", b, nil }
func (b List) html() (string, any, error)      { return "list", b, nil }
func (b Links) html() (string, any, error)     { return "links", b, nil }
func (b Row) html() (string, any, error)       { return "row", b, nil }
func (b Bullets) html() (string, any, error)   { return "bullets", b, nil }
func (b Details) html() (string, any, error)   { return "details", b, nil }
func (b Text) html() (string, any, error)      { return "text", b, nil }

func (b Figure) html() (string, any, error) {
	return "figure", struct {
		Figure
		Drawn template.HTML
		Least int // width below which its text could not be read
	}{b, template.HTML(b.SVG), b.Width * 4 / 5}, nil
}

func (b Table) html() (string, any, error) {
	t, err := newTable(&b)
	return "table", t, err
}

func (b Bars) html() (string, any, error) { return "bars", newBars(&b), nil }
