package live

import "github.com/inalab/inalab/harness/result"

func (r *run) fidelity() result.Fidelity { return result.Fidelity{CPUBusy: r.busy} }
