package testbed

import (
	"github.com/inalab/inalab/harness/system/aggtree"
	"github.com/inalab/inalab/harness/system/byteps"
	"github.com/inalab/inalab/harness/system/tcpagg"
	"github.com/inalab/inalab/harness/system/xagg"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/xagg/conductor"
)

// Systems of XAgg's testbed (§VI-C): three workers on each of two servers, and the seventh on the PS; one server of BytePS.
var (
	XAgg           = xagg.System{Mode: conductor.Testbed}
	XAggPrompt     = xagg.System{Mode: conductor.Testbed, Prompt: true} // negotiation takes no time
	XAggTCPAgg     = tcpagg.System{Tree: aggtree.Testbed}
	XAggTCPDirect  = tcpagg.System{Tree: aggtree.Testbed, Direct: true} // sums go from the PS to each worker
	XAggBytePS     = byteps.System{}
	XAggBytePSRDMA = byteps.System{Transport: stream.RoCE}
)

// XAggTree is XAgg on a k-ary tree.
func XAggTree(k int) xagg.System { return xagg.System{Mode: conductor.KAry, K: k} }
