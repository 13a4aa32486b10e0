// A victim of power cuts and its checker; see README.md.

using Opossum.PowerCuts;

return args switch
{
    ["append", var how, var folder] => await Victim.RunAsync(how, Path.Combine(folder, "store")),
    ["check", var folder, var acknowledged] => await Checker.RunAsync(Path.Combine(folder, "store"), acknowledged),
    _ => throw new ArgumentException("append lone|groups|several FOLDER, or check FOLDER ACKNOWLEDGED"),
};
