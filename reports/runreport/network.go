package runreport

import "github.com/inalab/inalab/reports/page"

// network draws the topologies with the use of their links.
func (r *Run) network() ([]page.Block, error) { return nil, nil }
