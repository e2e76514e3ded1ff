package reference

import "github.com/inalab/inalab/internal/sansio"

// Ports returns the ports that lead to workers and parents.
func (p *Program) Ports() (out []sansio.Port) {
	for _, j := range p.jobs {
		for i := range j.workers {
			out = append(out, j.workers[i].to...)
		}
		if j.parent != nil {
			out = append(out, j.parent.to...)
		}
	}
	return out
}
