package system

import (
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/toy/full"
)

// toy returns the toy with its default knobs.
func toy() job.System { return full.New() }
