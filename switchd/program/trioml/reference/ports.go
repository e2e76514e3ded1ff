package reference

import "github.com/inalab/inalab/internal/sansio"

// Ports returns the ports by which results leave.
func (p *Program) Ports() (out []sansio.Port) {
	for _, j := range p.jobs {
		if j != nil {
			out = append(out, j.To...)
		}
	}
	return out
}
