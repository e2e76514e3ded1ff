package scenarios

import (
	"fmt"

	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/linktext"
)

// link reads a link; what it leaves out is as in base.
func (r *resolver) link(path string, f linktext.Link, base topo.LinkSpec) topo.LinkSpec {
	s, errs := f.Spec(path, base, r.doc)
	r.reports(errs)
	return s
}

// linksAt reads changes of links.
func (r *resolver) linksAt(path string, list []linktext.At) (out []linktext.Change) {
	for i, f := range list {
		c, errs := f.Read(fmt.Sprintf("%s[%d]", path, i), r.doc)
		r.reports(errs)
		out = append(out, c)
	}
	return out
}

func (r *resolver) reports(errs []error) {
	for _, err := range errs {
		r.report(err)
	}
}
