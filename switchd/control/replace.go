package control

import "fmt"

// Source is the source of a program that is to replace another.
type Source struct {
	Program string `json:"program"` // that is replaced, by its name on the PFE
	File    string `json:"file"`    // name of the source in messages
	Text    string `json:"text"`
}

// replace has a program replaced on one PFE, or on all that have it. It is compiled first,
// and frames wait meanwhile. A refusal says which PFEs have the new program already.
func replace(sw Switch, pfe int, s *Source, out *Response) error {
	done, err := sw.Reload(pfe, s.Program, s.File, s.Text)
	if err != nil && len(done) > 0 {
		return fmt.Errorf("%w; %d PFEs before it have the new program", err, len(done))
	}
	out.Replaced = done
	return err
}
