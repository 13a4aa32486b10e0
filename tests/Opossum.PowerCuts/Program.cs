// Victims of power cuts and their checkers; see README.md.

using Opossum.PowerCuts;
using Opossum.Storage.Folders;

// Small folders, so that many are sealed within seconds.
var shardPositions = args is [_, Victim.Sealing or Victim.SealingWithJournal, ..] ? 20 : StoreLayout.ShardPositionsDefault;

return args switch
{
    ["victim", "projections", var folder] => await ProjectionVictim.RunAsync(flush: true, Store(folder).Root),
    ["victim", "projections-unflushed", var folder] => await ProjectionVictim.RunAsync(flush: false, Store(folder).Root),
    ["victim", var how, var folder] => await Victim.RunAsync(how, Store(folder)),
    ["check", "projections", var folder, var acknowledged] => await new ProjectionChecker(flush: true, Store(folder).Root).RunAsync(acknowledged),
    ["check", "projections-unflushed", var folder, var acknowledged] =>
        await new ProjectionChecker(flush: false, Store(folder).Root).RunAsync(acknowledged),
    ["check", Victim.Sealing or Victim.SealingWithJournal, var folder, var acknowledged] =>
        await Checker.RunAsync(Store(folder), acknowledged, mayBeSealed: true),
    ["check", Victim.FullJournal, var folder, var acknowledged] => await CheckWithRoomAsync(folder, acknowledged),
    ["check", _, var folder, var acknowledged] => await Checker.RunAsync(Store(folder), acknowledged),
    _ =>
        throw new ArgumentException("victim lone|groups|groups-beside|several|journal|journal-groups|journal-turns|journal-full|sealing|sealing-journal|projections|"
            + "projections-unflushed FOLDER, or check with the same FOLDER ACKNOWLEDGED"),
};

StoreLayout Store(string folder) => new(Path.Combine(folder, "store"), shardPositions);

// As somebody does who finds a full disk.
Task<int> CheckWithRoomAsync(string folder, string acknowledged)
{
    new Ballast(folder).Remove();
    return Checker.RunAsync(Store(folder), acknowledged);
}
