// Package train makes the gradients of the testbed real: a small network, trained by
// SGD on real images, with one replica on each worker. The method is synchronous
// data-parallel SGD (Trio, SIGCOMM 2022, §2).
//
// The model is a perceptron with one hidden layer, 784 -> h -> 10, ReLU and softmax
// cross-entropy. All parameters are one flat vector, and so is the gradient:
//
//	offset              floats   what
//	0                   784*h    W1, by input: row i leads from pixel i to the hidden units
//	784*h               h        b1
//	784*h + h           h*10     W2, by input: row j leads from hidden unit j to the classes
//	784*h + h + h*10    10       b2
//
// The input of a pixel is its grey level less the mean of that pixel over the training
// set, in units of 90.
//
// Duties of the caller in each iteration:
//
//  1. Draw a mini-batch of the shard: [Batches.Next].
//  2. Compute the gradient: [Network.Gradient].
//  3. Add up the gradients, and divide by the number of workers that contributed.
//  4. Hand the mean to [Network.Apply].
//
// Replicas that start alike and apply the same means stay equal to the last bit on every
// processor while the numbers are finite. Therefore every sum has one order, every product
// is rounded before it is added, and the exponential is this package's own.
//
// Left out: convolutions, a paper's model at its true accuracy (package profiles
// replays sizes and times), learning rate schedules, weight decay, and time.
package train
