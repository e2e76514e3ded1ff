package claims

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/yamldoc"
)

//go:embed ledger
var embedded embed.FS

// Ledger is all that is known of the papers. It is read only.
type Ledger struct {
	Claims      []*Claim // paper by paper, in the order of the files
	Unseen      []*Unseen
	Facts       []*Fact
	Ambiguities []*Ambiguity
	Arithmetic  []*ArithmeticCheck
}

// Load returns the ledger that is part of the program. It is read once; nobody may change it.
func Load() (*Ledger, error) { return loaded() }

// loaded is a table: the same files give the same ledger, and reading them takes a tenth of a second.
var loaded = sync.OnceValues(load)

func load() (*Ledger, error) {
	dir, err := fs.Sub(embedded, "ledger")
	if err != nil {
		return nil, fmt.Errorf("open the ledger: %w", err)
	}
	return LoadFS(dir)
}

// LoadFS reads a ledger: the claims of each paper from the file of its name, and
// unseen.yaml, facts.yaml and ambiguities.yaml. What is wrong is reported as
// file:line:col, with the line below.
func LoadFS(dir fs.FS) (*Ledger, error) {
	d := &decoder{dir: dir, seen: map[string]string{}, ledger: &Ledger{}}
	for _, p := range Paper("").Words() {
		d.file(p+".yaml", func(top yamldoc.Node) { d.claims(Paper(p), top) })
	}
	d.file("unseen.yaml", d.unseen)
	d.file("facts.yaml", d.facts)
	d.file("ambiguities.yaml", d.ambiguities)
	d.resolve()
	if err := d.err(); err != nil {
		return nil, err
	}
	return d.ledger, nil
}

// decoder reads the files of a ledger.
type decoder struct {
	dir        fs.FS
	ledger     *Ledger
	seen       map[string]string // "kind id" to file:line:col
	references []reference
	errs       []func() error // of each file
	unread     bool           // a file is missing or no YAML
}

// reference is an id that a claim names.
type reference struct {
	at yamldoc.Node
	by ID // of the claim
	to ID
}

// file reads one file.
func (d *decoder) file(name string, read func(top yamldoc.Node)) {
	text, err := fs.ReadFile(d.dir, name)
	doc := &yamldoc.Document{Name: name}
	if err != nil {
		err = fmt.Errorf("read the ledger: %w", err)
	} else {
		err = doc.Parse(text)
	}
	if err != nil {
		d.unread = true
		d.errs = append(d.errs, func() error { return err })
		return
	}
	d.errs = append(d.errs, doc.Err)
	top, _ := doc.Find("")
	read(top)
}

// resolve checks references, once all claims are known.
func (d *decoder) resolve() {
	ids := d.ledger.ids()
	for _, r := range d.references {
		switch _, ok := d.seen[spaceClaims+" "+string(r.to)]; {
		case r.to == r.by:
			r.at.Fault("the claim names itself")
		case !ok && !d.unread: // else it may stand in the file that could not be read
			r.at.Fault("unknown claim %q%s", r.to, suggest.DidYouMean(string(r.to), ids))
		}
	}
}

func (d *decoder) err() error {
	var errs []error
	for _, err := range d.errs {
		errs = append(errs, err())
	}
	return errors.Join(errs...)
}

// Ids are unique among the entries of one space.
const (
	spaceClaims      = "claim" // and unseen values: both are asked for by id
	spaceFacts       = "fact"
	spaceAmbiguities = "ambiguity"
	spaceArithmetic  = "arithmetic check"
)

// unique checks the id of an entry, which no other entry of its space may have.
func (d *decoder) unique(entry yamldoc.Node, space string) {
	n, _ := entry.Get("id")
	id, _ := n.Text()
	if id == "" {
		return // a fault already
	}
	if strings.Trim(id, idLetters) != "" || strings.Contains(id, "..") || strings.Trim(id, ".") != id {
		n.Fault("%q: letters, digits, - and _, joined by points, are allowed", id)
	}
	key := space + " " + id
	if first, ok := d.seen[key]; ok {
		n.Fault("%q is there twice, first at %s", id, first)
		return
	}
	pos := n.Position()
	d.seen[key] = fmt.Sprintf("%s:%d:%d", n.Doc.Name, pos.Line, pos.Column)
}

const idLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
