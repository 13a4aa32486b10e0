// Victims of power cuts and their checkers; see README.md.

using Opossum.PowerCuts;

return args switch
{
    ["victim", "projections", var folder] => await ProjectionVictim.RunAsync(flush: true, Store(folder)),
    ["victim", "projections-unflushed", var folder] => await ProjectionVictim.RunAsync(flush: false, Store(folder)),
    ["victim", var how, var folder] => await Victim.RunAsync(how, Store(folder)),
    ["check", "projections", var folder, var acknowledged] => await new ProjectionChecker(flush: true, Store(folder)).RunAsync(acknowledged),
    ["check", "projections-unflushed", var folder, var acknowledged] =>
        await new ProjectionChecker(flush: false, Store(folder)).RunAsync(acknowledged),
    ["check", _, var folder, var acknowledged] => await Checker.RunAsync(Store(folder), acknowledged),
    _ =>
        throw new ArgumentException("victim lone|groups|several|journal|journal-groups|projections|projections-unflushed FOLDER, or check with the same FOLDER "
            + "ACKNOWLEDGED"),
};

static string Store(string folder) => Path.Combine(folder, "store");
