using System.Reflection;
using System.Runtime.CompilerServices;
using Opossum.Storage.Folders;

namespace Opossum.Tests.Architecture;

/// <summary>Which folder of the library may use which, judged by the compiled code. The rules are explained in docs/architecture.md.</summary>
public sealed class ArchitectureTests
{
    private const string Contract = "(contract)";
    private const string Root = "FileSystemEventStore";
    private const string RegistrationNamespace = "Microsoft.Extensions.DependencyInjection";

    // Each room of src/Opossum (a folder, or one in it), and the rooms whose internal types it may use besides its own and the contract's.
    // FileSystemEventStore, which puts the store together, is a room of its own with its interface. What is public may be used by all but FileSystem.
    private static readonly Dictionary<string, string[]> allowed = new()
    {
        [Contract] = [],
        ["FileSystem"] = [],
        ["FileSystem/Unix"] = ["FileSystem"],
        ["FileSystem/Linux"] = ["FileSystem", "FileSystem/Unix"],
        ["FileSystem/Windows"] = ["FileSystem"],
        ["FileSystem/Portable"] = ["FileSystem", "FileSystem/Unix"],
        ["FileSystem/Real"] = ["FileSystem", "FileSystem/Linux", "FileSystem/Windows", "FileSystem/Portable"],
        ["Serialization"] = [],
        ["Options"] = [],
        ["Diagnostics"] = [],
        ["Decisions"] = [],
        ["Storage"] = ["Serialization"],
        ["Storage/Failures"] = ["FileSystem"],
        ["Storage/Folders"] = ["FileSystem", "Serialization", "Diagnostics", "Storage", "Storage/Failures"],
        ["Storage/Definitions"] = ["FileSystem", "Serialization", "Diagnostics", "Storage/Folders"],
        ["Storage/Locking"] = ["FileSystem", "Diagnostics", "Storage/Failures", "Storage/Folders"],
        ["Storage/Ledger"] = ["FileSystem", "Serialization", "Storage", "Storage/Failures", "Storage/Folders", "Storage/Locking", "Storage/Log"],
        ["Storage/Log"] = ["FileSystem", "Serialization", "Storage", "Storage/Failures", "Storage/Folders"],
        ["Storage/Index"] = ["FileSystem", "Serialization", "Diagnostics", "Storage", "Storage/Folders", "Storage/Definitions", "Storage/Locking",
            "Storage/Log"],
        ["Storage/Reading"] = ["FileSystem", "Serialization", "Diagnostics", "Storage", "Storage/Folders", "Storage/Definitions", "Storage/Log",
            "Storage/Ledger", "Storage/Index"],
        ["Storage/Sealing"] = ["FileSystem", "FileSystem/Real", "Diagnostics", "Storage", "Storage/Failures", "Storage/Folders", "Storage/Locking",
            "Storage/Ledger", "Storage/Index"],
        ["Storage/Opening"] = ["FileSystem", "Diagnostics", "Storage", "Storage/Failures", "Storage/Folders", "Storage/Definitions",
            "Storage/Locking", "Storage/Log", "Storage/Ledger", "Storage/Index"],
        ["Storage/Commit"] = ["FileSystem", "Serialization", "Diagnostics", "Storage", "Storage/Failures", "Storage/Folders", "Storage/Definitions",
            "Storage/Locking", "Storage/Log", "Storage/Ledger", "Storage/Index", "Storage/Opening"],
        ["Storage/Rules"] = ["FileSystem", "Storage", "Storage/Failures", "Storage/Folders", "Storage/Definitions", "Storage/Locking", "Storage/Log",
            "Storage/Ledger", "Storage/Index", "Storage/Opening", "Storage/Commit"],
        ["Storage/Check"] = ["FileSystem", "FileSystem/Real", "Serialization", "Diagnostics", "Storage", "Storage/Folders", "Storage/Definitions",
            "Storage/Locking", "Storage/Log", "Storage/Ledger", "Storage/Index", "Proof", "Personal"],
        ["Storage/Repair"] = ["FileSystem", "FileSystem/Real", "Serialization", "Diagnostics", "Storage", "Storage/Failures", "Storage/Folders",
            "Storage/Definitions", "Storage/Locking", "Storage/Log", "Storage/Ledger", "Storage/Index", "Storage/Opening", "Proof", "Following",
            "Projections/States", "Reactions/Files"],
        ["Proof"] = ["FileSystem", "FileSystem/Real", "Serialization", "Diagnostics", "Storage", "Storage/Failures", "Storage/Folders",
            "Storage/Locking", "Storage/Log", "Storage/Ledger", "Storage/Index", "Storage/Opening"],
        ["Personal"] = ["FileSystem", "FileSystem/Real", "Serialization", "Diagnostics", "Storage/Folders", "Storage/Index", "Following",
            "Projections", "Projections/States", "Reactions/Files"],
        ["Storage/Backup"] = ["FileSystem", "FileSystem/Real", "Serialization", "Diagnostics", "Storage", "Storage/Failures", "Storage/Folders",
            "Storage/Definitions", "Storage/Locking", "Storage/Ledger", "Storage/Index", "Storage/Opening", "Personal", "Reactions/Files", Root],
        ["Storage/Replicas"] = ["FileSystem", "FileSystem/Real", "Serialization", "Diagnostics", "Storage", "Storage/Failures", "Storage/Folders",
            "Storage/Definitions", "Storage/Locking", "Storage/Ledger", "Storage/Index", "Storage/Sealing", "Storage/Opening", "Storage/Repair",
            "Storage/Backup", "Projections/States", "Reactions/Files"],
        ["Storage/Transfer"] = ["FileSystem", "FileSystem/Real", "Serialization", "Diagnostics", "Storage", "Storage/Folders", "Storage/Definitions",
            "Storage/Locking", "Storage/Log", "Storage/Ledger", "Storage/Index", "Storage/Opening", "Storage/Commit", "Storage/Rules", "Personal"],
        ["Subscriptions"] = [],
        ["Following"] = ["FileSystem", "Serialization", "Diagnostics"],
        ["Projections"] = ["Serialization", "Diagnostics", "Following"],
        ["Projections/States"] = ["FileSystem", "Serialization", "Following", "Projections"],
        ["Projections/Building"] = ["FileSystem", "Serialization", "Diagnostics", "Following", "Projections", "Projections/States"],
        ["Projections/Reading"] = ["FileSystem", "Serialization", "Diagnostics", "Following", "Projections", "Projections/States"],
        ["Projections/Updating"] = ["FileSystem", "Diagnostics", "Following", "Projections", "Projections/States", "Projections/Building",
            "Projections/Reading"],
        ["Projections/Databases"] = ["FileSystem", "Serialization", "Diagnostics", "Following", "Projections", "Projections/States",
            "Projections/Reading"],
        ["Reactions"] = ["Serialization", "Diagnostics", "Following"],
        ["Reactions/Files"] = ["FileSystem", "Serialization", "Following"],
        ["Reactions/Reading"] = ["FileSystem", "Following", "Reactions", "Reactions/Files"],
        ["Reactions/Running"] = ["FileSystem", "Serialization", "Diagnostics", "Following", "Reactions", "Reactions/Files", "Reactions/Reading"],
        ["Running"] = ["Serialization", "Diagnostics", "Storage", "Storage/Folders", "Storage/Definitions", "Storage/Index", "Storage/Reading",
            "Storage/Sealing", "Storage/Opening", "Storage/Commit", "Proof", "Personal", "Following"],
        [Root] = ["FileSystem", "FileSystem/Real", "Serialization", "Diagnostics", "Storage", "Storage/Folders", "Storage/Definitions",
            "Storage/Index", "Storage/Reading", "Storage/Opening", "Storage/Commit", "Storage/Rules", "Personal", "Subscriptions", "Following",
            "Projections", "Projections/Reading", "Projections/Updating", "Reactions", "Reactions/Reading", "Reactions/Running", "Running"],
        ["DependencyInjection"] = ["Serialization", "Diagnostics", "Personal", "Following", "Projections/Reading", "Reactions/Reading", Root],
    };

    // What is in System.IO and does not touch a file.
    private static readonly HashSet<Type> harmlessIo =
    [
        typeof(Path), typeof(Stream), typeof(MemoryStream), typeof(TextReader), typeof(StringReader), typeof(TextWriter), typeof(StringWriter),
        typeof(IOException), typeof(InvalidDataException), typeof(EndOfStreamException),
    ];

    private static readonly string[] sources = [.. Directory.GetFiles(SourceTree.Library, "*.cs", SearchOption.AllDirectories)
        .Where(file => Path.GetRelativePath(SourceTree.Library, file).Split(Path.DirectorySeparatorChar)[0] is not ("bin" or "obj"))];

    private static readonly Type[] types = [.. typeof(IEventStore).Assembly.GetTypes()
        .Where(type => !type.IsNested && (type.Namespace?.Split('.')[0] == "Opossum" || type.Namespace == RegistrationNamespace))];

    private static readonly ILookup<string, string> sourcesByName = sources.ToLookup(file => Path.GetFileNameWithoutExtension(file));
    private static readonly Dictionary<Type, string> folders = types.ToDictionary(type => type, FindFolder);
    private static readonly Dictionary<Type, MemberInfo[]> references =
        types.ToDictionary(type => type, type => CompiledCode.References(type).ToArray());

    [Fact]
    public void Every_folder_has_a_rule()
    {
        var without = sources.Select(FolderOfFile).Distinct().Except(allowed.Keys);

        AssertNone(without);
    }

    // What extends a host's services is found without a further using, as that of other packages is.
    [Fact]
    public void Every_type_has_a_file_of_its_name_in_the_folder_of_its_namespace_or_is_public()
    {
        var astray = types
            .Where(type => FilesOf(type) is not [var file]
            || (type.IsPublic && !ExtendsServices(type) ? !IsPublicNamespace(type.Namespace)
                : type.Namespace != (type.IsPublic ? RegistrationNamespace : NamespaceOf(file))))
            .Select(type => $"{type.FullName} in {string.Join(", ", FilesOf(type).Select(file => Path.GetRelativePath(SourceTree.Library, file)))}");

        AssertNone(astray);
    }

    [Fact]
    public void An_application_needs_no_more_than_a_hundred_types()
    {
        var count = types.Count(static type => type.IsPublic && type.Namespace == "Opossum");

        Assert.True(count <= 100, $"{count} public types are in the namespace Opossum.");
    }

    [Fact]
    public void Folders_use_only_those_below_them()
    {
        var wrong =
            from type in types
            let folder = FolderOf(type)
            from used in references[type].OfType<Type>().Select(Outermost).Distinct()
            where folders.ContainsKey(used)
            let usedFolder = FolderOf(used)
            where usedFolder != folder && !allowed[folder].Contains(usedFolder) && !IsForAll(used, folder)
            select $"{folder}/{type.Name} uses {usedFolder}/{used.Name}";

        AssertNone(wrong);
    }

    [Fact]
    public void No_room_is_in_a_circle_not_even_by_public_types()
    {
        var uses = (from type in types
                    from used in references[type].OfType<Type>().Select(Outermost).Distinct()
                    where folders.ContainsKey(used) && FolderOf(used) != FolderOf(type)
                    select (From: type, To: used)).ToList();

        // A room that uses no other, or that no other uses, is in no circle; nor is one that uses, or is used by, only such rooms.
        for (var before = 0; before != uses.Count;)
        {
            before = uses.Count;
            var users = uses.Select(use => FolderOf(use.From)).ToHashSet();
            var used = uses.Select(use => FolderOf(use.To)).ToHashSet();
            uses = uses.FindAll(use => used.Contains(FolderOf(use.From)) && users.Contains(FolderOf(use.To)));
        }

        AssertNone(uses.Select(use => $"{FolderOf(use.From)}/{use.From.Name} uses {FolderOf(use.To)}/{use.To.Name}"));
    }

    [Fact]
    public void The_contract_uses_nothing_but_the_base_class_library()
    {
        var wrong =
            from type in types
            where FolderOf(type) == Contract
            from used in references[type].OfType<Type>()
            where used.Namespace?.StartsWith("Microsoft.Extensions.", StringComparison.Ordinal) == true
            select $"{type.Name} uses {used.FullName}";

        AssertNone(wrong);
    }

    [Fact]
    public void The_contract_knows_no_feature()
    {
        var wrong =
            from type in types
            where FolderOf(type) == Contract
            from used in references[type].OfType<Type>().Select(Outermost).Distinct()
            where folders.ContainsKey(used) && FolderOf(used) != Contract
            select $"{type.Name} uses {FolderOf(used)}/{used.Name}";

        AssertNone(wrong);
    }

    // Personal data and proofs could be a package of their own: docs/decisions/0065.
    [Theory]
    [InlineData("Personal")]
    [InlineData("Proof")]
    public void No_room_below_uses_a_type_of_a_feature(string feature)
    {
        string[] above = [feature, Root, "DependencyInjection", "Running", "Storage/Backup", "Storage/Check", "Storage/Repair", "Storage/Transfer"];
        var wrong =
            from type in types
            where !above.Contains(FolderOf(type))
            from used in references[type].OfType<Type>().Select(Outermost).Distinct()
            where folders.ContainsKey(used) && FolderOf(used) == feature
            select $"{FolderOf(type)}/{type.Name} uses {used.Name}";

        AssertNone(wrong);
    }

    [Fact]
    public void Only_FileSystem_touches_files_or_the_operating_system()
    {
        var wrong =
            (from type in types
             where !IsIn(type, "FileSystem")
             from used in references[type].OfType<Type>()
             where IsFileAccess(used)
             select $"{FolderOf(type)}/{type.Name} uses {used.FullName}")
            .Concat(
             from type in types
             where !IsIn(type, "FileSystem")
             from method in CompiledCode.Methods(type)
             where method.Attributes.HasFlag(MethodAttributes.PinvokeImpl)
             select $"{FolderOf(type)}/{type.Name} calls the native {method.Name}");

        AssertNone(wrong);
    }

    [Fact]
    public void Only_the_ledger_makes_paths_of_event_files()
    {
        var wrong =
            from type in types
            where FolderOf(type) != "Storage/Ledger" && type != typeof(StoreLayout)
            from used in references[type].OfType<MethodBase>()
            where used.DeclaringType == typeof(StoreLayout)
            where used.Name is nameof(StoreLayout.EventFile) or nameof(StoreLayout.NewTakenBackFile) or nameof(StoreLayout.ShardFolder)
            select $"{FolderOf(type)}/{type.Name} calls {used.Name}";

        AssertNone(wrong);
    }

    [Fact]
    public void Only_FileSystemEventStore_chooses_a_file_system()
    {
        var seam = types.Single(type => type.Name == "IFileSystem");
        var wrong =
            from type in types
            where !IsIn(type, "FileSystem") && FolderOf(type) != Root
            from used in references[type].OfType<Type>()
            where used != seam && used.IsAssignableTo(seam) && used != type
            select $"{FolderOf(type)}/{type.Name} uses {used.Name} instead of {seam.Name}";

        AssertNone(wrong);
    }

    [Fact]
    public void No_type_is_found_by_its_name()
    {
        var wrong =
            from type in types
            from used in references[type].OfType<MethodBase>()
            let name = $"{used.DeclaringType!.Name}.{used.Name}"
            let takesText = used.GetParameters().Any(parameter => parameter.ParameterType == typeof(string))
            where name is "Type.GetType" or "Assembly.GetType" or "RuntimeAssembly.GetType" or "Module.GetType" or "Activator.CreateInstance" or "Activator.CreateInstanceFrom"
                || used.DeclaringType!.Name is "Assembly" or "AssemblyLoadContext" && used.Name.StartsWith("Load", StringComparison.Ordinal)
            where takesText
            select $"{FolderOf(type)}/{type.Name} calls {name}";

        AssertNone(wrong);
    }

    [Fact]
    public void Time_is_taken_from_TimeProvider_and_nobody_sleeps()
    {
        var wrong =
            from type in types
            from used in references[type].OfType<MethodBase>()
            let name = $"{used.DeclaringType!.Name}.{used.Name}"
            where name is "DateTime.get_Now" or "DateTime.get_UtcNow" or "DateTime.get_Today" or "DateTimeOffset.get_Now" or "DateTimeOffset.get_UtcNow"
                || (name is "Thread.Sleep" && !IsIn(type, "FileSystem"))
                || (name is "Task.Delay" && used.GetParameters().All(parameter => parameter.ParameterType != typeof(TimeProvider)))
            select $"{FolderOf(type)}/{type.Name} uses {name}";

        AssertNone(wrong);
    }

    // What is public is the asynchronous edge, and so is an enumerator of events, whichever file it lies in.
    [Fact]
    public void Nothing_below_FileSystemEventStore_is_asynchronous()
    {
        var wrong =
            from type in types
            where (IsIn(type, "Storage") || IsIn(type, "FileSystem") || IsIn(type, "Serialization")) && !type.IsPublic
            where !type.IsAssignableTo(typeof(IAsyncEnumerable<SequencedEvent>)) && !type.IsAssignableTo(typeof(IAsyncEnumerator<SequencedEvent>))
            from method in CompiledCode.Methods(type)
            where method.IsDefined(typeof(AsyncStateMachineAttribute)) || (method is MethodInfo { ReturnType: var returned } && IsAwaited(returned))
            select $"{FolderOf(type)}/{type.Name}.{method.Name}";

        AssertNone(wrong);
    }

    // Assert.Empty would cut the list.
    private static void AssertNone(IEnumerable<string> violations)
    {
        if (string.Join('\n', violations.Distinct().Order(StringComparer.Ordinal)) is { Length: > 0 } list)
            Assert.Fail(list);
    }

    private static bool IsAwaited(Type returned)
    {
        var open = returned.IsGenericType ? returned.GetGenericTypeDefinition() : returned;
        return open == typeof(Task) || open == typeof(Task<>) || open == typeof(ValueTask) || open == typeof(ValueTask<>)
            || open == typeof(IAsyncEnumerable<>);
    }

    private static bool IsFileAccess(Type type) =>
        (type.Namespace?.StartsWith("System.IO", StringComparison.Ordinal) == true && !harmlessIo.Contains(type))
        || type.Namespace == "Microsoft.Win32.SafeHandles";

    private static bool ExtendsServices(Type type) =>
        type.IsPublic && type.IsDefined(typeof(ExtensionAttribute)) && FolderOf(type) == "DependencyInjection";

    // FileSystem stays free even of the contract, so that it can be judged alone; nobody needs the composition root but its host.
    private static bool IsForAll(Type used, string user) =>
        user.Split('/')[0] != "FileSystem"
        && (FolderOf(used) == Contract || (used.IsPublic && FolderOf(used) is not (Root or "DependencyInjection")));

    private static string FolderOf(Type type) => folders[type];

    private static string FindFolder(Type type) =>
        FilesOf(type) is [var file, ..] ? FolderOfFile(file) : type.Namespace!.Split('.').ElementAtOrDefault(1) ?? Contract;

    private static string[] FilesOf(Type type) => [.. sourcesByName[type.Name.Split('`')[0]]];

    private static string FolderOfFile(string file)
    {
        if (Path.GetFileNameWithoutExtension(file) is Root or nameof(IFileSystemEventStore))
            return Root;
        var folder = Path.GetRelativePath(SourceTree.Library, Path.GetDirectoryName(file)!).Replace(Path.DirectorySeparatorChar, '/');
        return folder is "." or "Exceptions" ? Contract : folder;
    }

    private static bool IsIn(Type type, string folder) =>
        FolderOf(type) is var its && (its == folder || its.StartsWith(folder + "/", StringComparison.Ordinal));

    private static string NamespaceOf(string file) =>
        FolderOfFile(file) is var folder && folder == Contract ? "Opossum" : $"Opossum.{folder.Replace('/', '.')}";

    // Opossum has what an application uses, Opossum.Maintenance what an operator's program does to a store by its path.
    private static bool IsPublicNamespace(string? name) => name is "Opossum" or "Opossum.Maintenance";

    private static Type Outermost(Type type) => type.DeclaringType is { } outer ? Outermost(outer) : type;
}
