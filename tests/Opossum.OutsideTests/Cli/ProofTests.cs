using System.Text;
using Opossum.Cli;

namespace Opossum.CliTests;

public sealed class ProofTests : StoreTest
{
    private string Key => Shell.PathOf("sales.key");

    private string Verifier => Shell.PathOf("sales.verifier");

    private string Witness => Shell.PathOf("stick");

    public override async ValueTask InitializeAsync()
    {
        await base.InitializeAsync();
        Directory.CreateDirectory(Witness);
        (await Shell.RunAsync("proof", "key", Key, "--name", "shop.example")).Succeeded();
    }

    [Fact]
    public async Task A_checkpoint_goes_to_the_store_and_to_witnesses_and_the_store_is_intact_against_it()
    {
        Assert.Equal("The tree covers 4 events.\n", (await Shell.RunAsync("proof", "build", Store)).Succeeded().Out);

        var written = (await CheckpointAsync()).Succeeded();
        var verified = (await VerifyAsync()).Succeeded();
        var json = (await VerifyAsync("--json")).Succeeded().Json;

        Assert.Equal("Wrote a checkpoint of 4 events, signed by shop.example, to the store and to 1 of 1 witness.\n", written.Out);
        Assert.StartsWith("Intact: the 4 events that the checkpoint of ", verified.Out, StringComparison.Ordinal);
        Assert.True(json.GetProperty("isIntact").GetBoolean());
        Assert.Equal(4, json.GetProperty("position").GetInt64());
    }

    [Fact]
    public async Task A_changed_event_is_named_and_no_further_checkpoint_is_written()
    {
        (await CheckpointAsync()).Succeeded();
        await ForgeAsync(2, "\"total\": 35", "\"total\": 36");

        var verified = await VerifyAsync();
        var json = await VerifyAsync("--json");
        Directory.Delete(Path.Combine(Store, "Index"), recursive: true);
        (await Shell.RunAsync("repair", "open", Store)).Succeeded();
        var next = await CheckpointAsync();

        Assert.Equal(ExitCode.Negative, verified.ExitCode);
        Assert.StartsWith("Changed at position 2: ", verified.Out, StringComparison.Ordinal);
        Assert.Equal("Changed", json.Json.GetProperty("difference").GetProperty("kind").GetString());
        Assert.Equal(1, json.Json.GetProperty("intactUpTo").GetInt64());
        Assert.Equal(ExitCode.Negative, next.ExitCode);
        Assert.Contains("The history was changed", next.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Events_that_were_cut_off_are_named()
    {
        (await CheckpointAsync()).Succeeded();
        File.Delete(EventFile(4));
        File.Delete(EventFile(3));

        var verified = await VerifyAsync();

        Assert.Equal(ExitCode.Negative, verified.ExitCode);
        Assert.StartsWith("CutOff at positions 3 to 4: ", verified.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_edited_file_is_that_and_no_history_that_was_cut_off()
    {
        (await CheckpointAsync()).Succeeded();
        await File.WriteAllTextAsync(EventFile(2), (await File.ReadAllTextAsync(EventFile(2))).Replace("order", "0rder", StringComparison.Ordinal));

        var result = await Shell.RunAsync("check", Store);

        Assert.Equal(ExitCode.Negative, result.ExitCode);
        Assert.StartsWith("1 fault in 4 events. Whole up to position 1.", result.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("cut off", result.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_proof_of_one_event_is_verified_without_the_store_and_by_the_verifiers_text()
    {
        (await CheckpointAsync()).Succeeded();
        var proof = Shell.PathOf("3.proof");
        var before = FilesOfStore();

        (await Shell.RunAsync("prove", Store, "3", "--out", proof)).Succeeded();
        var text = (await Shell.RunAsync("prove", Store, "3")).Succeeded();
        var verified = (await Shell.RunAsync("verify-proof", proof, EventFile(3), "--verifier", Verifier)).Succeeded();
        var byText = await File.ReadAllTextAsync(Verifier);
        (await Shell.RunAsync("verify-proof", proof, EventFile(3), "--verifier", byText.Trim())).Succeeded();
        var other = await Shell.RunAsync("verify-proof", proof, EventFile(4), "--verifier", Verifier, "--json");

        Assert.Equal(before, FilesOfStore());
        Assert.Equal(await File.ReadAllTextAsync(proof), text.Out);
        Assert.InRange(text.Out.Length, 1, 2048);
        Assert.StartsWith($"Proven: {EventFile(3)} is one of the first 4 events of the store ", verified.Out, StringComparison.Ordinal);
        Assert.Equal((ExitCode.Negative, false), (other.ExitCode, other.Json.GetProperty("isProven").GetBoolean()));
    }

    [Theory]
    [InlineData("prove sales 3 --out new.proof")]
    [InlineData("proof key new.key --name shop.example")]
    [InlineData("master-key new new.masterkey")]
    [InlineData("migrate flat new --types new.json")]
    public async Task A_file_that_cannot_be_written_whole_is_not_there(string command)
    {
        (await CheckpointAsync()).Succeeded();
        var events = Directory.CreateDirectory(Shell.PathOf("flat/events")).FullName;
        const string Name = "0000000001.json";
        File.Copy(Path.Combine(AppContext.BaseDirectory, "Cli", "FlatLayout", "school", "events", Name), Path.Combine(events, Name));
        var before = Directory.GetFileSystemEntries(Shell.Folder);

        var result = await CliProcess.RunOnFullDiskAsync(Shell.Folder, command.Split(' '));

        Assert.NotEqual(ExitCode.Ok, result.ExitCode);
        Assert.Equal(before.Order(), Directory.GetFileSystemEntries(Shell.Folder).Order());
    }

    [Fact]
    public async Task What_cannot_be_proven_says_why()
    {
        var early = await Shell.RunAsync("prove", Store, "1");
        (await CheckpointAsync()).Succeeded();
        var late = await Shell.RunAsync("prove", Store, "5");
        var none = await Shell.RunAsync("prove", Store, "0");

        Assert.Equal((ExitCode.Negative, ExitCode.Negative, ExitCode.Usage), (early.ExitCode, late.ExitCode, none.ExitCode));
        Assert.Contains("no checkpoint yet", early.Error, StringComparison.Ordinal);
        Assert.Contains("covers 4 events, and not the event at position 5", late.Error, StringComparison.Ordinal);
        Assert.Equal("opossum: 0 is not a position. Write a number from 1.\n", none.Error);
    }

    [Theory]
    [InlineData("--dry-run")]
    [InlineData("--yes")]
    public async Task No_tree_is_built_where_there_is_no_index(string how)
    {
        (await Shell.RunAsync("backup", Store, Shell.PathOf("backup"))).Succeeded();

        var result = await Shell.RunAsync("proof", "build", Shell.PathOf("backup"), how);

        Assert.Equal((ExitCode.NoStore, ""), (result.ExitCode, result.Out));
        Assert.Contains("no index", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_key_is_never_overwritten_and_never_inside_a_store_and_only_this_user_reads_it()
    {
        var before = await File.ReadAllTextAsync(Key);

        var again = await Shell.RunAsync("proof", "key", Key, "--name", "shop.example");
        var inside = await Shell.RunAsync("proof", "key", Path.Combine(Store, "sales.key"), "--name", "shop.example");
        var named = await Shell.RunAsync("proof", "key", Shell.PathOf("other.key"), "--name", "shop example");
        var plan = (await Shell.RunAsync("proof", "key", Shell.PathOf("plan.key"), "--name", "shop.example", "--dry-run")).Succeeded();

        Assert.Equal((ExitCode.Usage, ExitCode.Usage, ExitCode.Usage), (again.ExitCode, inside.ExitCode, named.ExitCode));
        Assert.Equal(before, await File.ReadAllTextAsync(Key));
        Assert.StartsWith("Would write a new private key to ", plan.Out, StringComparison.Ordinal);
        Assert.Equal(["sales", "sales.key", "sales.verifier", "stick"],
            Directory.GetFileSystemEntries(Shell.Folder).Select(Path.GetFileName).Order(StringComparer.Ordinal));
        if (!OperatingSystem.IsWindows())
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(Key));
    }

    [Fact]
    public async Task A_checkpoint_of_another_key_or_a_file_that_is_none_is_refused()
    {
        (await CheckpointAsync()).Succeeded();
        (await Shell.RunAsync("proof", "key", Shell.PathOf("other.key"), "--name", "shop.example")).Succeeded();

        var other = await Shell.RunAsync("verify", Store, "--against", Witness, "--verifier", Shell.PathOf("other.verifier"));
        var key = await Shell.RunAsync("verify", Store, "--against", Key, "--verifier", Verifier);
        var missing = await Shell.RunAsync("verify", Store, "--against", Shell.PathOf("gone"), "--verifier", Verifier);
        var empty = await Shell.RunAsync("verify", Store, "--against", Store, "--verifier", Verifier);

        Assert.Equal((ExitCode.Negative, ExitCode.Negative), (other.ExitCode, key.ExitCode));
        Assert.Contains("it has no signature of the key shop.example with the id", other.Error, StringComparison.Ordinal);
        Assert.Equal((ExitCode.Usage, ExitCode.Usage), (missing.ExitCode, empty.ExitCode));
    }

    [Fact]
    public async Task Checkpoints_of_a_former_key_in_a_folder_are_passed_over_and_counted()
    {
        (await CheckpointAsync()).Succeeded();
        var former = Assert.Single(Directory.GetFiles(Witness));
        File.Copy(former, former.Replace("0000000004", "0000000003", StringComparison.Ordinal));
        (await Shell.RunAsync("proof", "key", Shell.PathOf("new.key"), "--name", "shop.example")).Succeeded();
        (await Shell.RunAsync("proof", "checkpoint", Store, "--key", Shell.PathOf("new.key"), "--witness", Witness)).Succeeded();

        var verified = await Shell.RunAsync("verify", Store, "--against", Witness, "--verifier", Shell.PathOf("new.verifier"));

        Assert.Equal((ExitCode.Ok, "1 checkpoint of other keys passed over.\n"), (verified.ExitCode, verified.Error));
        Assert.Equal(ExitCode.Ok, (await VerifyAsync()).ExitCode);

        // One that this key has signed and somebody has changed is not passed over.
        await File.WriteAllTextAsync(former, (await File.ReadAllTextAsync(former)).Replace("\n4\n", "\n3\n", StringComparison.Ordinal));
        var changed = await Shell.RunAsync("verify", Store, "--against", Witness, "--verifier", Shell.PathOf("new.verifier"));
        Assert.Equal(ExitCode.Negative, changed.ExitCode);
        Assert.Contains("the signature of shop.example does not match", changed.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Several_stores_can_share_a_witness()
    {
        var other = Shell.PathOf("other");
        await Sales.CreateAsync(other);
        var otherKey = Shell.PathOf("other.key");
        (await Shell.RunAsync("proof", "key", otherKey, "--name", "other.example")).Succeeded();
        (await CheckpointAsync()).Succeeded();
        (await Shell.RunAsync("proof", "checkpoint", other, "--key", otherKey, "--witness", Witness)).Succeeded();

        (await VerifyAsync()).Succeeded();
        var id = (await Shell.RunAsync("info", Store, "--json")).Succeeded().Json.GetProperty("id").GetString();
        foreach (var file in Directory.GetFiles(Witness, $"{id}*"))
            File.Delete(file);
        var foreign = await VerifyAsync();

        Assert.NotEqual(ExitCode.Ok, foreign.ExitCode);
    }

    [Fact]
    public async Task A_witness_that_is_missing_is_named_and_the_others_are_written()
    {
        var plan = await Shell.RunAsync("proof", "checkpoint", Store, "--key", Key, "--witness", Witness, Shell.PathOf("gone"), "--dry-run");
        Assert.Empty(Directory.GetFiles(Witness));
        var written = await Shell.RunAsync("proof", "checkpoint", Store, "--key", Key, "--witness", Witness, Shell.PathOf("gone"));

        Assert.Equal((ExitCode.Failed, ExitCode.Failed), (plan.ExitCode, written.ExitCode));
        Assert.Contains("to 1 of 2 witnesses", written.Out, StringComparison.Ordinal);
        Assert.Contains(Shell.PathOf("gone"), written.Error, StringComparison.Ordinal);
        Assert.Single(Directory.GetFiles(Witness));
    }

    [Fact]
    public async Task A_dry_run_writes_nothing()
    {
        var before = FilesOfStore();

        var build = (await Shell.RunAsync("proof", "build", Store, "--dry-run")).Succeeded();
        var checkpoint = (await Shell.RunAsync("proof", "checkpoint", Store, "--key", Key, "--dry-run", "--json")).Succeeded();

        Assert.Equal("Would build the tree over 4 events. Nothing was changed.\n", build.Out);
        Assert.Equal(4, checkpoint.Json.GetProperty("position").GetInt64());
        Assert.Equal(before, FilesOfStore());
    }

    private Task<ShellResult> CheckpointAsync() => Shell.RunAsync("proof", "checkpoint", Store, "--key", Key, "--witness", Witness);

    private Task<ShellResult> VerifyAsync(params string[] more) =>
        Shell.RunAsync(["verify", Store, "--against", Witness, "--verifier", Verifier, .. more]);

    // As somebody does who knows the checksum: the edit is accepted.
    private async Task ForgeAsync(int position, string from, string to)
    {
        var text = Encoding.UTF8.GetString(await File.ReadAllBytesAsync(EventFile(position)));
        Assert.Contains(from, text, StringComparison.Ordinal);
        await File.WriteAllTextAsync(EventFile(position), text.Replace(from, to, StringComparison.Ordinal));
        (await Shell.RunAsync("repair", "accept-edit", Store, $"{position}", "--yes")).Succeeded();
    }
}
