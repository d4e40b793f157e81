// Runs ONNX documents: node onnx_run.js jobs.json, a list of {"model": file, "inputs": {name: {type, dims, data}}}. Prints a list of outputs or
// errors. null is NaN. ONNXRUNTIME: the folder that has onnxruntime-node.
const fs = require('fs');
const path = require('path');
const ort = require(path.join(process.env.ONNXRUNTIME || '.', 'onnxruntime-node'));

const tensor = ({type, dims, data}) => {
  const number = x => (x === null ? NaN : x);
  if (type === 'float64') data = Float64Array.from(data, number);
  if (type === 'float32') data = Float32Array.from(data, number);
  if (type === 'int64') data = BigInt64Array.from(data, x => BigInt(x));
  return new ort.Tensor(type, data, dims);
};

const run = async ({model, inputs}) => {
  try {
    const session = await ort.InferenceSession.create(model, {logSeverityLevel: 3, intraOpNumThreads: 1, interOpNumThreads: 1});
    const feeds = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, tensor(value)]));
    const outputs = await session.run(feeds);
    return Object.fromEntries(session.outputNames.map(name => [name, {
      dims: outputs[name].dims,
      data: Array.from(outputs[name].data, x => (typeof x === 'bigint' ? Number(x) : x)),
    }]));
  } catch (error) {
    return {error: String(error)};
  }
};

(async () => {
  const results = [];
  for (const job of JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))) results.push(await run(job));
  console.log(JSON.stringify(results));
})();
