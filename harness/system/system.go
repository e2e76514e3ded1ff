// Package system lists the systems of this program. Each is a folder of its own below;
// docs/add-a-system.md says how to write one. One line of the list is all that changes.
package system

import (
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/byteps"
	"github.com/inalab/inalab/harness/system/halving"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/tcpagg"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/harness/system/xagg"
)

// All returns the systems with their default knobs, in the order of lists.
func All() []job.System {
	return []job.System{
		ring.System{},
		halving.System{},
		ps.System{},
		byteps.System{},
		tcpagg.System{},
		switchml.System{Elements: 64},
		switchml.System{Elements: 256},
		switchml.System{Transport: switchml.RoCE},
		switchml.System{Elements: 32},
		trioml.System{},
		atp.System{},
		xagg.System{},
	}
}
